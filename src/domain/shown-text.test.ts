import fc from "fast-check";
import { expect, test } from "vitest";
import { shownText } from "./shown-text.ts";

test.each([
  ["line feeds", "First.\n\n\n\n\nSecond.\nThird.", "First.\n\nSecond.\nThird."],
  ["Windows line ends", "First.\r\n\r\n\r\nSecond.\r\nThird.", "First.\n\nSecond.\nThird."],
  ["separators of lines and paragraphs", "a\u2029\u2028\u2029b\u2028c", "a\n\nb\nc"],
  ["vertical tabs, form feeds, next line, carriage return", "a\v\f\x85\rb\vc", "a\n\nb\nc"],
  ["blank, invisible and indented lines", "a\n \t\n\u200b\u3164\n\u2800\n  b", "a\n\n  b"],
  ["an indented paragraph", "a\n\n\tb", "a\n\n\tb"],
  ["marks around a Latin letter", "Zu\u0316\u0317\u0334\u0335\u0344g", "Zu\u0316\u0317\u0334g"],
  ["marks that enclose", "no\u20e3\u20dd\u20de\u20df\u20e0!", "no\u20e3\u20dd\u20de!"],
  ["marks on nothing", "\u0488\u0488\u0488\u0488\u0488", "\u0488\u0488\u0488"],
  [
    "marks with joiners between",
    "k\u0301\u200d\u0302\u200d\u0303\u200d\u0304",
    "k\u0301\u200d\u0302\u200d\u0303\u200d",
  ],
  ["marks of Thai, repeated", `ก${"้".repeat(30)}า`, "ก้้้า"],
  ["marks of Tibetan, repeated", `ཀ${"ྱ".repeat(6)}`, `ཀ${"ྱ".repeat(3)}`],
  [
    "marks of Hebrew, more than any text has",
    "ש\u0591\u0592\u0593\u0594\u0595\u0596\u0597",
    "ש\u0591\u0592\u0593",
  ],
  ["marks of Arabic on a Latin letter", "s\u064b\u064c\u064d\u064e", "s\u064b\u064c\u064d"],
])("at most two line breaks in a row and three marks on a letter are shown: %s", (_what, written, shown) => {
  expect(shownText(written)).toBe(shown);
});

test.each([
  ["Vietnamese, decomposed", "Những buổi biểu diễn tuyệt vời ở Huế".normalize("NFD")],
  ["Greek with all its accents, decomposed", "ᾧ τινι ᾖσεν ᾆσμα".normalize("NFD")],
  ["phonetic transcription", "[ɛ̃̀ t͡ʃɔ̰̃́k͡p̚]"],
  ["Hebrew with vowels and cantillation", "וַיֹּ֥אמֶר הַשָּׁ֔מֶשׁ יְרוּשָׁלִַ֗͏ם שָּֽׁ֣ב"],
  ["Arabic with all its signs", "أُو۟لَـٰٓئِكَ عَلَىٰ هُدًۭى مِّن رَّبِّهِمْ ٱلضَّآلِّينَ"],
  ["Syriac", "ܒܪܹܫܝܼܬ݂ ܐܝܼܬܵܘܗ݇ܝ ܗ̄ܘܵܐ"],
  ["Hindi and Vedic Sanskrit", "ज़िंदगी हूँ अ॒ग्निमी॑ळे पु॒रोहि॑तं"],
  ["Bengali, Odia, Kannada and Sinhala, decomposed", "ড়োঁ ଡ଼ୋଁ ಕೋಂ ශ්‍රී කෝං".normalize("NFD")],
  ["Tamil, Telugu, Malayalam, Gujarati and Punjabi", "ஸ்ரீ క్ష్మా ന്‍റെ ગુજરાતી ਖ਼ੁਸ਼ੀਆਂ"],
  ["Thai and Lao", "ผู้ใหญ่ ปั๊มน้ำ สัมพันธ์ ນ້ຳເຜິ້ງ"],
  ["Burmese", "လျှို့ဝှက် ညွှန့် ရွှေ့ လျှော့ ယောက်ျား"],
  ["Khmer", "ព្រះស៊ីហនុ ញ៉ាំ ស្ត្រី"],
  ["Tibetan", "བསྒྲུབས་ ཧྲཱིཾ༔ ཨོཾ་མ་ཎི་པདྨེ་ཧཱུྃ ཧྐྵྨླྺྲྱྃ"],
  ["Tai Tham, Balinese and Javanese", "ᨾᩮᩬᩥᨦ ᨯ᩠ᩅ᩶ᨿ ᬓ᭄ᬭᭀᬂ ꦏꦿꦶꦁ"],
  ["Persian and Mongolian with joiners", "می‌خواهم ᠨ᠋ᠠ᠋"],
  ["Korean and Japanese, decomposed", "관객 참여 ガギグ".normalize("NFD")],
  ["stretched words", "बहुुत अच्छाााााा นะะะะะ nooooo"],
  ["emoji of several characters", "👨‍❤️‍💋‍👨 👩🏽‍🚀 🏴󠁧󠁢󠁳󠁣󠁴󠁿 1️⃣ #️⃣ 👁️‍🗨️ 🏳️‍⚧️ ☺️"],
  ["two paragraphs and a list", "One.\n\n- a\n- b\n\n\tTwo."],
])("ordinary text stays as it is: %s", (_what, text) => {
  expect(shownText(text)).toBe(text);
});

test("every text is shown bounded, and showing it again changes nothing", () => {
  const part = fc.constantFrom(
    ..."aשกཀ\n\r\v\t \u2028\u0301\u0316\u0488\u20dd\u05b0\u05b1\u0e49\u0f71\u200d\u200b\ufe0f",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const shown = shownText(parts.join(""));
      expect(shown).not.toMatch(/\n\s*\n\s*\n|[\r\v\u2028]/);
      expect(shown).not.toMatch(/([a\sก]|^)(\p{M}\u200d*){4}/u);
      expect(shownText(shown)).toBe(shown);
    }),
  );
});
