import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { parentPort, threadName } from "node:worker_threads";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import type { Interaction } from "../../domain/review.ts";
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

const TITLE_TOP = 132;
const TITLE_HEIGHT = 252;
const titleSizes = [84, 72, 62, 54, 46, 40, 34];
const LINE_HEIGHT = 1.18;

const SMALL_LINE = 40;

const BADGE_HEIGHT = 60;

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
  const facts = preview.isCancelled ? [...about, "Cancelled"] : about;
  const top = drawMostCommon(preview.badge, preview.sentences);
  const room = top - 16 - facts.length * SMALL_LINE - TITLE_TOP;
  const bottom = drawTitle(headline, Math.min(TITLE_HEIGHT, room));
  drawFacts(bottom, facts);
  return canvas.encodeSync("png");
}

function drawHead(): void {
  setFont(700, 38);
  context.fillStyle = colours.accent;
  context.fillText("Front Row?", MARGIN, 84);
  const end = MARGIN + context.measureText("Front Row?").width;
  setFont(400, 26);
  context.fillStyle = colours.muted;
  context.fillText("Edinburgh Fringe Festival Show Reviews", end + 24, 84);
  context.fillStyle = colours.ink;
  context.fillRect(MARGIN, 112, INNER, 3);
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
    return wrapText(title, INNER, (text) => context.measureText(text).width);
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

function drawFacts(top: number, facts: string[]): void {
  setFont(400, 30);
  context.fillStyle = colours.muted;
  let y = top + 38;
  for (const fact of facts) {
    context.fillText(truncateTo(fact, INNER), MARGIN, y);
    y += SMALL_LINE;
  }
}

/** Returns the y of their upper edge. */
function drawMostCommon(badge: Preview["badge"], sentences: string[]): number {
  let y = HEIGHT - 44 - (sentences.length - 1) * SMALL_LINE;
  const top = y - 44 - (badge ? BADGE_HEIGHT : 0);
  if (badge) drawBadge(badge, top);
  setFont(400, 28);
  context.fillStyle = colours.ink;
  for (const sentence of sentences) {
    context.fillText(truncateTo(sentence, INNER), MARGIN, y);
    y += SMALL_LINE;
  }
  return top;
}

function drawBadge({ interaction, text, tie, isOutlined }: NonNullable<Preview["badge"]>, y: number): void {
  const { background, text: textColour, outline } = answerColours[interaction];
  setFont(650, 34);
  context.beginPath();
  const width = context.measureText(text).width + 56;
  context.roundRect(MARGIN, y, width, BADGE_HEIGHT, BADGE_HEIGHT / 2);
  if (isOutlined) {
    context.strokeStyle = outline;
    context.lineWidth = 4;
    context.stroke();
  } else {
    context.fillStyle = background;
    context.fill();
  }
  context.fillStyle = isOutlined ? colours.ink : textColour;
  context.fillText(text, MARGIN + 28, y + 42);
  setFont(400, 28);
  context.fillStyle = colours.muted;
  context.fillText(tie ?? "", MARGIN + width + 20, y + 42);
}

function drawLine(text: string, y: number, rightToLeft: boolean): void {
  context.direction = rightToLeft ? "rtl" : "ltr";
  context.textAlign = rightToLeft ? "right" : "left";
  context.fillText(text, rightToLeft ? WIDTH - MARGIN : MARGIN, y);
  context.direction = "ltr";
  context.textAlign = "left";
}

function truncateTo(text: string, width: number): string {
  return truncate(text, width, (part) => context.measureText(part).width);
}

function setFont(weight: number, size: number): void {
  context.font = `${weight} ${size}px ${families}`;
}
