import { notesByShow } from "../../src/domain/notes-dto.ts";
import { interactions } from "../../src/domain/review.ts";
import { type ListedShow, showPage } from "../../src/domain/show.ts";
import type { Site } from "./site.ts";

export async function readFirstPage({ api }: Pick<Site, "api">): Promise<ListedShow[]> {
  return showPage.parse(await (await api("/api/shows")).json()).shows;
}

/** By show. */
export async function readNotes({ api }: Pick<Site, "api">, showIds: readonly string[], headers = {}) {
  const query = new URLSearchParams(showIds.map((id) => ["show_id", id]));
  return notesByShow.parse(await (await api(`/api/reviews?${query}`, headers)).json()).reviews;
}

export async function notesOf(site: Site, showId: string): Promise<string[]> {
  const show = (await readNotes(site, [showId]))[showId];
  return interactions.flatMap((interaction) => show?.[interaction].notes.map(({ notes }) => notes) ?? []);
}
