import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { parentPort, threadName } from "node:worker_threads";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import { type Interaction, interactionLabels, interactions, reviewCount } from "../../domain/review.ts";
import type { Preview } from "./preview.server.ts";
import { createGlyphFilter, headlineOf, isRightToLeft, truncate, wrapText } from "./text-layout.server.ts";

/** This module runs in a thread of this name. */
const isThread = threadName === "draw-preview";

/** While nothing else needs the processor. Elsewhere than on Linux, the whole process would get this priority. */
if (isThread && process.platform === "linux") setPriority(19);

/** Fits all services (docs/product.md §3.13). */
const WIDTH = 1200;
const HEIGHT = 630;

const MARGIN = 64;
const INNER = WIDTH - 2 * MARGIN;

/** The light palette of `ui/tokens.css`: a picture does not know the reader's theme. */
const colours = { paper: "#faf6ee", ink: "#231d18", muted: "#665b4f", accent: "#5b2a86", line: "#d8cdbb" };
const answerColours: Record<Interaction, { background: string; text: string; outline: string }> = {
  no: { background: "#1f7d45", text: "#fff", outline: "#1f7d45" },
  very_little: { background: "#eebf33", text: "#2a2000", outline: "#a67c00" },
  yes: { background: "#8f1d17", text: "#fff", outline: "#8f1d17" },
};

const TITLE_TOP = 124;
const TITLE_HEIGHT = 252;
const titleSizes = [84, 72, 62, 54, 46, 40];
const LINE_HEIGHT = 1.18;

/** Shown 300 px wide, the smallest text has 9 px. */
const SMALL = 36;
const SMALL_LINE = 48;

const BADGE_HEIGHT = 76;
const TALLIES_HEIGHT = 104;

type Reviewed = NonNullable<Preview["reviewed"]>;

const require = createRequire(import.meta.url);

/** Fonts in packages, so that a machine without fonts draws the same picture. Package: subsets used. */
const fonts = {
  "noto-serif": /./,
  "noto-sans-arabic": /^arabic$/,
  "noto-sans-hebrew": /^hebrew$/,
  "noto-emoji": /./,
};

const { families, ranges } = registerFonts();
const toDrawable = createGlyphFilter(ranges);

/** Skia takes a character from the first family that has it. Another thread may have registered them. */
function registerFonts(): { families: string; ranges: string } {
  const subsets = Object.entries(fonts).flatMap(([name, used]) => {
    const folder = dirname(require.resolve(`@fontsource-variable/${name}/LICENSE`));
    const all: Record<string, string> = JSON.parse(readFileSync(join(folder, "unicode.json"), "utf8"));
    return Object.entries(all)
      .map(([key, range]) => ({ key: key.replace(/[[\]]/g, ""), range }))
      .filter(({ key }) => used.test(key))
      .map(({ key, range }) => {
        const family = `${name}-${key}`;
        const file = join(folder, `files/${name}-${key}-wght-normal.woff2`);
        if (!GlobalFonts.has(family)) GlobalFonts.registerFromPath(file, family);
        return { family, range };
      });
  });
  // Latin first: other fonts contain some Latin characters, too.
  subsets.sort((a, b) => Number(b.family === "noto-serif-latin") - Number(a.family === "noto-serif-latin"));
  return {
    families: subsets.map(({ family }) => `"${family}"`).join(", "),
    ranges: subsets.map(({ range }) => range).join(","),
  };
}

/** One for all pictures: each takes 3 MB. */
const canvas = createCanvas(WIDTH, HEIGHT);
const context = canvas.getContext("2d");

// The port waits in the event loop: a thread that waits in Atomics never frees the native memory of its pictures.
if (isThread) parentPort?.on("message", (preview: Preview) => parentPort?.postMessage(drawPreview(preview)));

/** Takes about 30 ms of a CPU, so it runs in a thread. */
export default function drawPreview(preview: Preview): Uint8Array {
  // Clears it, and resets the state of its context.
  canvas.width = WIDTH;
  context.textBaseline = "alphabetic";
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  drawHead();
  const { headline, facts: about } = headlineOf(preview, toDrawable);
  const facts = [preview.isCancelled ? "Cancelled" : "", ...about].filter(Boolean).join(" · ");
  const top = drawBottom(preview);
  const room = top - 16 - (facts ? SMALL_LINE : 0) - TITLE_TOP;
  const bottom = drawTitle(headline, Math.min(TITLE_HEIGHT, room));
  setFont(400, SMALL);
  context.fillStyle = colours.muted;
  drawLine(truncateTo(facts, INNER), bottom + SMALL, isRightToLeft(facts));
  return canvas.encodeSync("png");
}

function drawHead(): void {
  setFont(700, 44);
  context.fillStyle = colours.accent;
  context.fillText("Front Row?", MARGIN, 80);
  const end = MARGIN + context.measureText("Front Row?").width;
  setFont(400, 28);
  context.fillStyle = colours.muted;
  context.fillText("Edinburgh Fringe Festival Show Reviews", end + 24, 80);
  context.fillStyle = colours.ink;
  context.fillRect(MARGIN, 106, INNER, 3);
}

/** Returns the y of its lower edge. */
function drawTitle(title: string, height: number): number {
  const { size, lines } = fitTitle(title, height);
  setFont(650, size);
  context.fillStyle = colours.ink;
  let y = TITLE_TOP;
  for (const line of lines) {
    drawLine(line, y + size, isRightToLeft(title));
    y += size * LINE_HEIGHT;
  }
  return y;
}

function fitTitle(title: string, height: number): { size: number; lines: string[] } {
  const wrap = (size: number) => {
    setFont(650, size);
    return wrapText(title, INNER, measure);
  };
  const fits = (size: number, lines: string[]) => lines.length * size * LINE_HEIGHT <= height;
  for (const size of titleSizes) {
    const lines = wrap(size);
    if (fits(size, lines)) return { size, lines };
  }
  const size = titleSizes.at(-1) ?? 0;
  const lines = wrap(size);
  const kept = Math.floor(height / (size * LINE_HEIGHT));
  const last = lines.slice(kept - 1).join(" ");
  return { size, lines: [...lines.slice(0, kept - 1), truncateTo(last, INNER)] };
}

/** Returns the y of its upper edge. */
function drawBottom({ reviewed, sentences }: Preview): number {
  setFont(400, SMALL);
  const lines = sentences.flatMap((sentence) => wrapText(sentence, INNER, measure));
  const height = (reviewed ? 60 + BADGE_HEIGHT + TALLIES_HEIGHT : 0) + lines.length * SMALL_LINE;
  const top = HEIGHT - 40 - height;
  let y = top;
  if (reviewed) {
    setFont(650, 44);
    context.fillStyle = colours.ink;
    context.fillText("Audience interaction?", MARGIN, y + 40);
    y += 60;
    drawBadge(reviewed.badge, y);
    y += BADGE_HEIGHT;
  }
  setFont(400, SMALL);
  context.fillStyle = colours.ink;
  for (const line of lines) {
    y += SMALL_LINE;
    context.fillText(line, MARGIN, y - 6);
  }
  if (reviewed) drawTallies(reviewed.tallies, y + 18);
  return top;
}

function drawBadge({ interaction, text, tie, isOutlined }: Reviewed["badge"], y: number): void {
  const { background, text: textColour, outline } = answerColours[interaction];
  setFont(650, 46);
  context.beginPath();
  const width = context.measureText(text).width + 64;
  context.roundRect(MARGIN + 2, y + 2, width, BADGE_HEIGHT - 4, BADGE_HEIGHT / 2);
  if (isOutlined) {
    context.strokeStyle = outline;
    context.lineWidth = 5;
    context.stroke();
  } else {
    context.fillStyle = background;
    context.fill();
  }
  context.fillStyle = isOutlined ? colours.ink : textColour;
  context.fillText(text, MARGIN + 34, y + 53);
  setFont(400, SMALL);
  context.fillStyle = colours.muted;
  context.fillText(tie ?? "", MARGIN + width + 24, y + 50);
}

/** As on the card: a number, its answer, and a bar for its share. */
function drawTallies(tallies: Reviewed["tallies"], y: number): void {
  const gap = 32;
  const width = (INNER - 2 * gap) / 3;
  for (const [index, interaction] of interactions.entries()) {
    const x = MARGIN + index * (width + gap);
    const { background, outline } = answerColours[interaction];
    context.fillStyle = background;
    drawShape(interaction, x, y + 10);
    setFont(650, 46);
    context.fillStyle = colours.ink;
    const number = String(tallies[interaction]);
    context.fillText(number, x + 44, y + 40);
    const end = 44 + context.measureText(`${number} `).width;
    setFont(400, 40);
    context.fillText(interactionLabels[interaction], x + end, y + 40, width - end);
    context.fillStyle = background;
    context.fillRect(x, y + 58, (width * tallies[interaction]) / reviewCount(tallies), 24);
    context.strokeStyle = outline;
    context.lineWidth = 4;
    context.strokeRect(x + 2, y + 60, width - 4, 20);
  }
}

/** docs/product.md §1.5 */
function drawShape(interaction: Interaction, x: number, y: number): void {
  const size = 30;
  context.beginPath();
  if (interaction === "no") context.arc(x + size / 2, y + size / 2, size / 2, 0, 2 * Math.PI);
  else if (interaction === "yes") context.rect(x, y, size, size);
  else {
    context.moveTo(x + size / 2, y);
    context.lineTo(x + size, y + size);
    context.lineTo(x, y + size);
  }
  context.fill();
}

function drawLine(text: string, y: number, rightToLeft: boolean): void {
  context.direction = rightToLeft ? "rtl" : "ltr";
  context.textAlign = rightToLeft ? "right" : "left";
  context.fillText(text, rightToLeft ? WIDTH - MARGIN : MARGIN, y);
  context.direction = "ltr";
  context.textAlign = "left";
}

function truncateTo(text: string, width: number): string {
  return truncate(text, width, measure);
}

function measure(text: string): number {
  return context.measureText(text).width;
}

function setFont(weight: number, size: number): void {
  context.font = `${weight} ${size}px ${families}`;
}
