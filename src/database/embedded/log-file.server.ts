import { copyFile, rm, stat, truncate } from "node:fs/promises";

const MAX_BYTES = 4 * 1024 * 1024;
const CHECK_INTERVAL_MS = 60_000;

/** Copies and truncates, because the server keeps the file open. */
export async function rotateLogFile(file: string, signal: AbortSignal): Promise<void> {
  await rotateIfLarge(file);
  const timer = setInterval(() => void rotateIfLarge(file), CHECK_INTERVAL_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function rotateIfLarge(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= MAX_BYTES) return;
    await rm(`${file}.1`, { force: true });
    await copyFile(file, `${file}.1`);
    await truncate(file);
  } catch {
    // No log yet, or a full disk: the next check retries.
  }
}
