import { vi } from "vitest";
import { notesByShow } from "../../src/domain/review-dto.ts";
import { type ListedShow, showPage } from "../../src/domain/show.ts";
import type { Site } from "./site.ts";

/** The shows of the list's first page, as a server tells them. */
export async function readFirstPage({ api }: Pick<Site, "api">): Promise<ListedShow[]> {
  return showPage.parse(await (await api("/api/shows")).json()).shows;
}

/**
 * Waits until a server shows the newest review, of this show, in all three ways: as first of its list, with
 * its notes, and on its page.
 */
export async function waitUntilReviewShown(site: Site, show: ListedShow, notes: string): Promise<void> {
  const patience = { timeout: 30_000, interval: 5 };
  await vi.waitUntil(async () => (await readFirstPage(site))[0]?.id === show.id, patience);
  await vi.waitUntil(async () => (await notesOf(site, show.id)).includes(notes), patience);
  await vi.waitUntil(async () => firstTitle(await (await site.api("/")).text()) === show.title, patience);
}

async function notesOf({ api }: Site, showId: string): Promise<string[]> {
  const { reviews } = notesByShow.parse(await (await api(`/api/reviews?show_id=${showId}`)).json());
  return Object.values(reviews[showId] ?? {}).flatMap(({ notes }) => notes.map((note) => note.notes));
}

/** The first card's title, where that has no characters that HTML writes in another way. */
function firstTitle(html: string): string | undefined {
  return /class="card-title"[^>]*>(?:<a [^>]*>)?([^<]*)/.exec(html)?.[1];
}
