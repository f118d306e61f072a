/** `npm run icons`: makes favicon.ico, for programs without SVG, and apple-touch-icon.png of public/favicon.svg. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { root } from "./setup.mjs";

const file = (name: string) => join(root, "public", name);

const svg = readFileSync(file("favicon.svg"), "utf8");

/**
 * @param size width and height in pixels
 * @param margin the free part of each side
 * @param background transparent unless given
 */
async function draw(size: number, margin = 0, background?: string): Promise<Buffer> {
  const inner = Math.round(size * (1 - 2 * margin));
  const image = await loadImage(
    Buffer.from(svg.replace("<svg ", `<svg width="${inner}" height="${inner}" `)),
  );
  const canvas = createCanvas(size, size);
  const context = canvas.getContext("2d");
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, size, size);
  }
  const edge = (size - inner) / 2;
  context.drawImage(image, edge, edge, inner, inner);
  return canvas.encode("png");
}

/** The header, one entry with size, colours, length and offset, and a square PNG. */
function toIco(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

writeFileSync(file("favicon.ico"), toIco(await draw(32), 32));
// Home screens cut round corners, and draw transparent parts in black.
writeFileSync(file("apple-touch-icon.png"), await draw(180, 0.12, "#faf6ee"));
for (const size of [192, 512]) writeFileSync(file(`icon-${size}.png`), await draw(size));
// Every shape shows the middle four fifths.
writeFileSync(file("icon-maskable-512.png"), await draw(512, 0.2, "#faf6ee"));
