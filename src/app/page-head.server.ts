import type { FoundShow } from "../catalogue/list.server.ts";
import type { ListedShow } from "../domain/show.ts";
import { showUrl } from "../domain/show-query.ts";
import { listUrl } from "../shows/list-url.ts";
import { previewOf } from "../shows/preview/preview.server.ts";
import { eventOf } from "../shows/show-event.server.ts";
import type { FoundList } from "./loader-context.server.ts";
import type { PageHead } from "./page-head.tsx";

const SITE_NAME = "Front Row";
const SITE_TITLE = "Front Row? Edinburgh Fringe Festival Show Reviews";
const SITE_DESCRIPTION =
  "Will they pick on you? How much audience interaction the shows of the Edinburgh Festival Fringe have, from people who were there.";

/**
 * The head of a page (docs/product.md §2.18, §3.13, §3.14).
 * @param found what the list screen shows; undefined for other screens
 * @param show the show that it is about
 */
export function pageHead(
  origin: string,
  found: FoundList | undefined,
  show: FoundShow | undefined,
): PageHead {
  if (show && found?.query.show !== undefined) return showHead(origin, show);
  const isIndexed = found === undefined || listUrl({ ...found.query, page: found.list.page }) === "/";
  return {
    description: SITE_DESCRIPTION,
    isIndexed,
    tags: isIndexed ? [...siteTags(SITE_TITLE, SITE_DESCRIPTION), ["twitter:card", "summary"]] : [],
  };
}

function showHead(origin: string, found: FoundShow): PageHead {
  const { show } = found;
  const url = origin + showUrl(show.id);
  const description = describeShow(show);
  const image = `${origin}/api/shows/${encodeURIComponent(show.id)}/preview.png`;
  return {
    description,
    isIndexed: true,
    tags: [
      ...siteTags(show.title, description),
      ["og:url", url],
      ["og:image", image],
      ["og:image:type", "image/png"],
      ["og:image:width", "1200"],
      ["og:image:height", "630"],
      ["og:image:alt", `${show.title}. ${description}`],
      ["twitter:card", "summary_large_image"],
    ],
    event: eventOf(found, url),
  };
}

/** Twitter's cards take the rest from Open Graph. */
function siteTags(title: string, description: string): [string, string][] {
  return [
    ["og:site_name", SITE_NAME],
    ["og:type", "website"],
    ["og:locale", "en_GB"],
    ["og:title", title],
    ["og:description", description],
  ];
}

/** The words of the card, as the preview picture has them. */
function describeShow(show: ListedShow): string {
  const { badge, sentences } = previewOf(show);
  const answer = badge && `${[badge.text, badge.tie].filter(Boolean).join(", ")}.`;
  return [answer, ...sentences].filter(Boolean).join(" ");
}
