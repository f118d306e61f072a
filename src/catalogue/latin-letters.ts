/**
 * Latin letters that Unicode does not decompose, after their ASCII spelling. From `any-ascii` (ISC licence), which is
 * too large for browsers.
 */
const spellings = `
ssß aeæᴁᴂꞛꬱ dðđƌȡɖɗᴅᴆᵭᶁᶑẟꝺꟈ𝼥 oøɔɞɵᴏᴐᴑᴒᴓᴖᴗᶗⱷⱺꝍꞷꟁꬽꬾꬿ𝼛 thþᵺ hħɦɧʜⱨⱶꜧꞕꟶ iıɨɩɪɿʅᴉᵎᵻᵼᶖꞽꟷꟾ𝼚 qĸǃɋʗʠꞯ𝼊𝼏
lłƚƛȴɫɬɭʟᴌᶅↆⱡꝇꞎꟛꬷꬸꬹ𝼄𝼑𝼓𝼦 ngŋꝿꬼ𝼇𝼔 oeœɶʚᴔꞝꭀꭁꭂꭢ tŧƫƭȶʇʈᴛᵵⱦꞇ𝼉𝼍𝼪 bƀƃɓʙᴃᴯᵬᶀꞗꞵ 6ƅↅ cƈǀȼɕᴄↄꞓꞔ𝼝 zƍƶȥɀʐʑᴢᵶᶎⱬꝣ
fƒɸᵮᶂⅎꜰꝼꞙꟻꬵ hwƕ kƙʞᴋᶄⱪꞣ𝼃𝼐 nƞȵɲɳɴᴎᴻᵰᶇꞑꞥꬻ𝼧 ghƣ pƥᴘᵱᵽᶈꟼ 2ƨ shƪʃʆᶋᶘꭍ yƴȝɏɥʎʏʮʯỿꭚ𝼆 \`ƹʕʢᴤᴥꜥ zhƺʒʓᴣᶚ𝼘
dzƻʣʥꭦ 5ƽ tsƾʦꭧ wƿɯɰʍᴟᴡⱳꟃꟺ xǁʖᶍꭓꭔꭕꭖꭗꭘꭙ𝼎 qcǂ𝼋𝼌 eǝɇɘəɛɜᴇᴈᶒᶓᶔᶕⱸⱻꬲꬳꬴ gǥɠɡɢɣʛᵷᵹᶃꞡꟑꬶ𝼁𝼂 ouȣᴕ jȷɉɟʄʝᴊ dbȸ
qpȹ sȿʂᵴᶊꜱꞅꞩꟊꟍꟗꟙ𝼞𝼩 'ɂʔʡꜣꝯꞌ rɍɹɺɻɼɽɾʀʁᴙᴚᵲᵳᶉⱹꝛꞃꞧꭅꭆꭇꭉꭋꭌꭨ𝼈𝼕𝼖𝼨 aɐɑɒʌᴀᶏᶐⱥꞻꬰꭤ erɚɝ uɤɷʉʊᴜᴝᴞᵾᵿᶙꞹꞿꭎꭏꭒ lzhɮ𝼅
mɱᴍᵯᶆꟽꬺ vʋᴠᶌỽⱱⱴꝩ pcʘ dzhʤ𝼒𝼙 tshʧ𝼗𝼜 tcʨ fngʩ𝼀 lsʪ lzʫ wwʬꟕ ]]ʭ ueᵫꞟ s.ẜẝꝭꝸ llỻꞁ (|)ↀ |))ↁ ((|))ↂ
|)))ↇ (((|)))ↈ tzꜩ 3ꜫ 4ꜭ 4,ꜯ aaꜳ𐞀 aoꜵ auꜷ avꜹꜻ ayꜽ c.ꜿ k.ꝁꝃꝅ l.ꝉꝲ o.ꝋ ooꝏꭃꭄ p.ꝑꝓꝕ q.ꝗꝙ r.ꝝꝵꝶ v.ꝟ vyꝡ
th.ꝥꝧ &ꝫ d.ꝱ m.ꝳ n.ꝴ t.ꝷ -ꞏ ththꟓ m'ꟿ rrꭈꭊ uiꭐꭑ iaꭠ ieꭡ uoꭣ
`;

const plain = new Map(
  [...spellings.matchAll(/([!-~]+)([^!-~\s]+)/g)].flatMap(([, spelling = "", letters = ""]) =>
    Array.from(letters, (letter) => [letter, spelling]),
  ),
);

/** @param letter a lower-case Latin letter without a decomposition */
export function plainSpelling(letter: string): string {
  return plain.get(letter) ?? "";
}
