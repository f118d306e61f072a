import { z } from "zod";
import { messageOf } from "../../lib/error-message.ts";
import { escapeControls } from "../console.ts";

/** In ms. */
const RELEASES_TIMEOUT = 5_000;

/** As GitHub answers `/repos/<owner>/<name>/releases/latest`. */
const release = z.object({ tag_name: z.string() });

/** A line that names a newer version, or says why none is known. Null without either. */
export async function findNewerVersion(url: string | undefined, own: string): Promise<string | null> {
  if (!url) return null;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RELEASES_TIMEOUT) });
    if (!response.ok) throw new Error(`it was answered with ${response.status}`);
    const { tag_name } = release.parse(await response.json());
    const [, newest = own] = /^v?(\d+\.\d+\.\d+)$/.exec(tag_name) ?? [];
    return newest.localeCompare(own, "en", { numeric: true }) > 0
      ? `Version ${newest} is there: upgrade to it`
      : null;
  } catch (error) {
    const isOther = error instanceof z.ZodError || error instanceof SyntaxError;
    const reason = isOther ? "it names no releases" : escapeControls(messageOf(error));
    return `Whether there is a newer version is not known: RELEASES_URL was not read (${reason})`;
  }
}
