import { distinctTitle, FEW_BELOW, listingSentences, unknownReviews } from "../domain/card-texts.ts";
import type { Declared } from "../domain/declared.ts";
import { type Interaction, interactionLabels, interactions } from "../domain/review.ts";
import type { ShowPage } from "../domain/show.ts";
import { type ShowQuery, webAddress } from "../domain/show-query.ts";
import { formatDayTime, plural, withoutDirections } from "../lib/format.ts";
import type { LoadFailure } from "./load-list.ts";

/** docs/product.md §1.5 */
export const filterNames: Record<Interaction, string> = {
  no: "No Interaction",
  very_little: "Some Interaction",
  yes: "Lots of Interaction",
};

/** docs/product.md §2.20 */
export const declaredNames: Record<Declared, string> = {
  yes: "Announced in the listing",
  no: "Not announced in the listing",
  unknown: "No warnings in the listing",
};

/** docs/product.md §2.20 */
export const yesNames: Record<NonNullable<ShowQuery["yes"]>, string> = {
  most: "Most said Yes",
  none: "Nobody said Yes",
};

const yesMeanings: typeof yesNames = { most: "more than half of them Yes", none: "none of them Yes" };

/** Empty if no filter is pressed (docs/product.md §2.8). */
export function keptLine(pressed: readonly Interaction[]): string {
  const words = joined(
    pressed.map((interaction) => interactionLabels[interaction]),
    "disjunction",
  );
  return words && `Shows where at least one person said ${words}.`;
}

function joined(words: string[], type: "conjunction" | "disjunction"): string {
  return new Intl.ListFormat("en-GB", { type }).format(words);
}

/** Empty if none of these filters is on (docs/product.md §2.20). */
export function moreKeptLine({ declared, yes }: ShowQuery): string {
  const lines = [
    declared && listingSentences[declared],
    yes && `Shows with at least ${FEW_BELOW} reviews, ${yesMeanings[yes]}.`,
  ];
  return lines.filter(Boolean).join(" ");
}

/** docs/product.md §2.16 */
export function exclusionLine({ interaction, yes }: ShowQuery): string | undefined {
  return yes === "none" && interaction.join() === "yes" ? "No show can match both." : undefined;
}

/** What an empty list was searched for (docs/product.md §2.16). Undefined without a search or a filter. */
export function noMatchLine(query: ShowQuery): string | undefined {
  const wanted = wantedParts(query);
  if (wanted.length === 0) return undefined;
  const isAddress = wanted.length === 1 && webAddress.test(query.search);
  return `No show ${isAddress ? "has the ticket page" : "matches"} ${joined(wanted, "conjunction")}.`;
}

/** docs/product.md §2.15 */
export function summaryLine({ total, page, page_size, shows }: ShowPage): string {
  const [first] = shows;
  if (!first) return "No shows found";
  const before = (page - 1) * page_size;
  return `Showing ${before + 1}-${before + shows.length} of ${plural(total, "show")} for ${first.year}`;
}

interface Loading {
  list: ShowPage;
  failure?: LoadFailure | undefined;
  /** In ms since 1970: when the list was on screen before. Undefined for a new list. */
  seenAt?: number | undefined;
  /** The id of the only show that was requested. */
  show?: string | undefined;
}

const reasons: Record<LoadFailure, string> = {
  unreachable: "Check your connection.",
  refused: "The site can't answer right now.",
  limited: "Too many requests came from your network.",
};

/** docs/product.md §8.11, §14.3. Undefined for a complete, current list. */
export function listNotice({ list, failure, seenAt, show }: Loading): string | undefined {
  if (seenAt !== undefined) {
    const reason = !failure || failure === "unreachable" ? "No connection." : reasons[failure];
    const days = Math.floor((Date.now() - seenAt) / 86_400_000);
    const age = days > 0 ? ` It is ${plural(days, "day")} old.` : "";
    return `${reason} This list is from ${formatDayTime(seenAt)}.${age}`;
  }
  if (failure === "unreachable" && show !== undefined) return "This show needs a connection.";
  if (failure) return `The list couldn't be loaded. ${reasons[failure]}`;
  return list.shows.some(({ reviews }) => !reviews) ? unknownReviews : undefined;
}

/** docs/product.md §14.3 */
export function missingNotes(failure: LoadFailure): string {
  return failure === "unreachable" ? "Notes need a connection." : "Notes can't be loaded right now.";
}

function wantedParts({ search, interaction, declared, yes, genre }: ShowQuery): string[] {
  return [
    search && `“${withoutDirections(search)}”`,
    ...interactions.filter((option) => interaction.includes(option)).map((option) => filterNames[option]),
    declared && declaredNames[declared],
    yes && yesNames[yes],
    genre && withoutDirections(genre),
  ].flatMap((part) => part || []);
}

/** docs/product.md §2.18 */
export function documentTitle(query: ShowQuery, page: number): string {
  const parts = [...wantedParts(query), ...(page > 1 ? [`Page ${page}`] : [])];
  return parts.length > 0
    ? `${parts.join(", ")} – Front Row?`
    : "Front Row? Edinburgh Fringe Festival Show Reviews";
}

/** docs/product.md §2.21, §4.8 */
export function showTitle({ shows: [show] }: ShowPage, notes?: Interaction, page = 1): string {
  const title = show && withoutDirections(distinctTitle(show));
  const parts = [title, notes && `Notes for ${interactionLabels[notes]}`, page > 1 && `Page ${page}`];
  return `${show ? parts.filter(Boolean).join(", ") : "No shows found"} – Front Row?`;
}
