import { copyFile, rm, stat, truncate } from "node:fs/promises";

const LARGEST_BYTES = 4 * 1024 * 1024;
const CHECK_MS = 60_000;

/**
 * Keeps the server's log within bounds until `signal`: a log that has grown too large is kept as `.1`, and emptied. The
 * server goes on writing into the same file, which is open for appending.
 */
export async function boundLogFile(file: string, signal: AbortSignal): Promise<void> {
  await bound(file);
  const timer = setInterval(() => void bound(file), CHECK_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function bound(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= LARGEST_BYTES) return;
    await rm(`${file}.1`, { force: true });
    await copyFile(file, `${file}.1`);
    await truncate(file);
  } catch {
    // No log yet, or a full disk: tried again the next time.
  }
}
