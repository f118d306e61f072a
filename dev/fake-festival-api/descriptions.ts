import { expand, type Grammar } from "./grammar.ts";
import type { Random } from "./random.ts";
import { descriptionParts, middles, openings } from "./words/descriptions.ts";

/** In characters, with markup. */
const SHORTEST = 40;
const LONGEST = 900;

/** Plain text for nearly half the shows, HTML for the others. */
export function inventDescription(genre: string, words: Grammar, random: Random): string {
  const write = random.chance(0.45) ? plain : html;
  const sentences = inventSentences(genre, words, random);
  for (;;) {
    const text = write(sentences, random);
    if (text.length > LONGEST) sentences.pop();
    else if (text.length < SHORTEST)
      sentences.push(sentence(random.pick(descriptionParts.middle), words, random));
    else return text;
  }
}

function inventSentences(genre: string, words: Grammar, random: Random): string[] {
  const count = random.weighted([
    [0, 10],
    [1, 26],
    [2, 34],
    [3, 18],
    [5, 9],
    [7, 3],
  ]);
  const own = random.shuffle(middles[genre] ?? []).slice(0, Math.ceil(count / 2));
  const general = random.shuffle(descriptionParts.middle).slice(0, count - own.length);
  return [
    random.pick(openings[genre] ?? general),
    ...random.shuffle([...own, ...general]),
    ...(random.chance(0.35) ? [random.pick(descriptionParts.press)] : []),
    ...(random.chance(0.4) ? [random.pick(descriptionParts.practical)] : []),
  ].map((phrase) => sentence(phrase, words, random));
}

function sentence(phrase: string, words: Grammar, random: Random): string {
  const text = expand(phrase, words, random);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plain(sentences: readonly string[], random: Random): string {
  const text = sentences.join(random.chance(0.12) ? "\n\n" : " ");
  return random.chance(0.3) ? text.replaceAll("'", "&rsquo;").replaceAll(" & ", " &amp; ") : text;
}

type Layout = (sentences: readonly string[]) => string;

const layouts: readonly (readonly [Layout, number])[] = [
  [(all) => `<p>${all.join(" ")}</p>`, 40],
  [(all) => all.map((sentence) => `<p>${sentence}</p>`).join("\n"), 20],
  [([first, ...rest]) => `<p><strong>${first}</strong> ${rest.join(" ")}</p>`, 10],
  [([first, ...rest]) => `<p><em>${first}</em><br />${rest.join("<br>\n")}</p>`, 12],
  [([first, ...rest]) => `<h2>${first}</h2><p>${rest.join("&nbsp; ")}</p>`, 6],
  [([first, ...rest]) => `<p>${first}</p><ul>${rest.map((line) => `<li>${line}</li>`).join("")}</ul>`, 6],
  [(all) => `<p>${all.join(" ")} <a href="https://more.example/?a=1&amp;b=2">More here</a></p>`, 4],
  [
    (all) =>
      `<p>${all.join(" ")}</p>\n<p><img src="/uploads/poster.jpg" width="200" height="62" alt="" /></p>`,
    2,
  ],
];

function html(sentences: readonly string[], random: Random): string {
  return random.weighted(layouts)(sentences.map(withEntities));
}

function withEntities(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/(^|\s)'/g, "$1&lsquo;")
    .replaceAll("'", "&rsquo;")
    .replaceAll(" – ", " &ndash; ");
}
