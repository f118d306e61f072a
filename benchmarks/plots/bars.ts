/** One bar: what it stands for, its value, and how that is written. */
export interface Bar {
  label: string;
  value: number;
  text: string;
  /** Bars of what this is about are darker than those it is held against. */
  own: boolean;
  /** A mark that the bar has to reach; 0 is none. */
  goal?: number;
}

interface Plot {
  title: string;
  /** A line under the title. */
  note: string;
  /** Bars that belong together stand together. */
  groups: readonly (readonly Bar[])[];
  /** Each step to the right is ten times as much. */
  logarithmic?: boolean;
}

/** Room for a character of a label, whatever the font, and beside all labels. */
const CHARACTER = 7;
const MARGIN = 24;
const BARS = 390;
/** Room for what is written at the end of the longest bar. */
const END = 98;
const ROW = 24;
const GAP = 10;
const TOP = 62;

/** Horizontal bars as an SVG of its own, on a light ground, so that it can be read on a dark page too. */
export function plotBars({ title, note, groups, logarithmic = false }: Plot): string {
  const bars = groups.flatMap((group, place) => group.map((bar) => ({ bar, place })));
  const labels = MARGIN + CHARACTER * Math.max(...bars.map(({ bar }) => bar.label.length));
  const width = labels + BARS + END;
  const height = TOP + bars.length * ROW + (groups.length - 1) * GAP + 16;
  const most = Math.max(...bars.flatMap(({ bar: { value, goal = 0 } }) => [value, goal]));
  const least = Math.min(...bars.map(({ bar }) => bar.value));
  const scale = (value: number) =>
    BARS * (logarithmic ? Math.log(value / (least / 2)) / Math.log(most / (least / 2)) : value / most);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">
<title>${escapeXml(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#fbfaf7"/>
<text x="16" y="26" font-size="15" font-weight="600">${escapeXml(title)}</text>
<text x="16" y="45" fill="#59636e">${escapeXml(note)}</text>
${bars.map(({ bar, place }, index) => drawBar(bar, { left: labels, top: TOP + index * ROW + place * GAP }, scale)).join("\n")}
</svg>
`;
}

/** Draws a bar that begins at `left` and `top`, with its label to the left of it. */
function drawBar(
  { label, value, text, own, goal = 0 }: Bar,
  { left, top }: { left: number; top: number },
  scale: (value: number) => number,
): string {
  const length = Math.max(1, scale(value)).toFixed(1);
  const end = left + Math.max(scale(value), goal > 0 ? scale(goal) : 0) + 7;
  const mark = (left + scale(goal)).toFixed(1);
  return [
    `<text x="${left - 8}" y="${top + 15}" text-anchor="end">${escapeXml(label)}</text>`,
    `<rect x="${left}" y="${top + 3}" width="${length}" height="${ROW - 8}" rx="2" fill="${own ? "#9a3412" : "#a8a29e"}"/>`,
    ...(goal > 0
      ? [`<path d="M${mark} ${top}v${ROW - 2}" stroke="#1f2328" stroke-width="2" stroke-dasharray="3 2"/>`]
      : []),
    `<text x="${end.toFixed(1)}" y="${top + 15}">${escapeXml(text)}</text>`,
  ].join("");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
