import { hash } from "node:crypto";
import { html, raw } from "hono/html";
import { tallyTexts, unknownReviews, yearLine } from "../../domain/card-texts.ts";
import { YEAR } from "../../domain/programme.ts";
import { type Counts, type Interaction, interactionLabels } from "../../domain/review.ts";

/** With an interaction, the badge has its colour and shape. */
interface Badge {
  text: string;
  interaction?: Interaction | undefined;
  look: "filled" | "outlined" | "grey";
}

/** docs/product.md §3.15 */
export function badgeOf({ reviews: tallies, year }: { reviews?: Counts | undefined; year: number }): Badge {
  if (!tallies) return { text: unknownReviews, look: "grey" };
  const { badge, fewLine, total } = tallyTexts(tallies);
  if (year < YEAR) return { text: yearLine(tallies, year), look: "outlined" };
  if (!badge) return { text: "not reviewed yet", look: "outlined" };
  if (fewLine) return { text: fewLine, look: "outlined" };
  const { interaction, tie, isOutlined } = badge;
  return {
    text: [`${interactionLabels[interaction]} · ${tallies[interaction]} of ${total}`, tie]
      .filter(Boolean)
      .join(", "),
    interaction,
    look: isOutlined ? "outlined" : "filled",
  };
}

export const unlistedBadge: Badge = { text: "not listed", look: "grey" };

/** The site's palette. A picture has no other style sheet. */
const style = `
svg{font:600 13px system-ui,sans-serif}
.site{fill:#faf6ee;stroke:#8b7f70}
text{fill:#231d18}
.box{fill:none;stroke:currentColor;stroke-width:2}
.mark{fill:currentColor}
.outlined{color:#8b7f70}.grey{color:#6b6b6b}
.no{color:#1f7d45}.very_little{color:#a67c00}.yes{color:#8f1d17}
.filled.very_little{color:#eebf33}
:is(.filled,.grey) .box{fill:currentColor}
:is(.filled,.grey) :is(text,.mark){fill:#fff}
.filled.very_little :is(text,.mark){fill:#2a2000}
@media(prefers-color-scheme:dark){
.site{fill:#171310;stroke:#8f8373}
text{fill:#f1eadf}
.outlined{color:#8f8373}.grey{color:#a3a3a3}
.no{color:#5bc583}.yes{color:#e36a5e}
.very_little,.filled.very_little{color:#f7d766}
:is(.filled,.grey) :is(text,.mark){fill:#171310}
}
`;

/** Applies when the picture is opened as a document. */
export const badgePolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; frame-ancestors 'none'`;

/** Around their centre. */
const shapes: Record<Interaction, string> = {
  no: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
  very_little: "M0-5 5 5H-5z",
  yes: "M-4.5-4.5h9v9h-9z",
};

/** In px. */
const HEIGHT = 28;
const NAME = "Front Row?";
const SUBJECT = "Audience interaction:";
const NAME_GAP = 14;
const NAME_WIDTH = 226;

/** In characters. */
const TITLE_MAX = 100;

/** At most 2 KB, as SVG. @param title the show's title, or a text for an unknown show */
export function drawBadge(title: string, { text, interaction, look }: Badge): string {
  const box = NAME_WIDTH + 18;
  const textStart = box + (interaction ? 26 : 12);
  const textWidth = widthOf(text);
  const width = textStart + textWidth + 16;
  const mark =
    interaction &&
    html`<path class="mark" d="${shapes[interaction]}" transform="translate(${box + 16} 14)"/>`;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-labelledby="t">
<title id="t">${raw(toXml([...title].slice(0, TITLE_MAX).join("")))}: ${SUBJECT} ${text}</title>
<style>${raw(style)}</style>
<rect class="site" x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="3"/>
<text x="10" y="18.5" textLength="${NAME_WIDTH}" lengthAdjust="spacingAndGlyphs">${NAME}<tspan dx="${NAME_GAP}">${SUBJECT}</tspan></text>
<g class="${[look, interaction].filter(Boolean).join(" ")}">
<rect class="box" x="${box}" y="4" width="${width - box - 4}" height="20" rx="10"/>
${mark ?? ""}<text x="${textStart}" y="18.5" textLength="${textWidth}" lengthAdjust="spacingAndGlyphs">${text}</text>
</g>
</svg>
`;
  return String(svg);
}

/** Removes what XML forbids, lone surrogates included. Quotes stay: escaped, they take six bytes. */
function toXml(text: string): string {
  return text
    .replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** An estimate; `textLength` makes the text exactly this wide. */
function widthOf(text: string): number {
  const widths = [...text].map((letter) =>
    /[ ijlt.,'I]/.test(letter) ? 4 : /[mwMYN]/.test(letter) ? 10 : 7.4,
  );
  return Math.round(widths.reduce((sum, width) => sum + width, 0));
}
