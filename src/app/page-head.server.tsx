import type { FoundShow } from "../catalogue/list.server.ts";
import { distinctTitle } from "../domain/card-texts.ts";
import { showUrl } from "../domain/show-query.ts";
import { withoutDirections } from "../lib/format.ts";
import { listUrl } from "../shows/list-url.ts";
import type { FoundList } from "../shows/load-list.ts";
import { type Preview, previewOf, sitePreview } from "../shows/preview/preview.server.ts";
import { digestOfPreview } from "../shows/preview/previews.server.ts";
import { eventOf } from "../shows/show-event.server.ts";

interface PageHead {
  description: string;
  isIndexed: boolean;
  /** Open Graph and Twitter. */
  tags: [property: string, content: string][];
  event?: object | undefined;
}

/** For search engines and link previews. Only the server renders it: browsers load no script for it. */
export function PageHeadTags({ head: { description, isIndexed, tags, event } }: { head: PageHead }) {
  return (
    <>
      <meta name="description" content={description} />
      {!isIndexed && <meta name="robots" content="noindex" />}
      {tags.map(([property, content]) => (
        <meta key={property} property={property} content={content} />
      ))}
      {event && <DataBlock type="application/ld+json" data={event} />}
    </>
  );
}

/** Not a script that runs, so the Content-Security-Policy need not allow it. */
export function DataBlock({ data, ...attributes }: { type: string; id?: string; data: object }) {
  const html = { __html: JSON.stringify(data).replaceAll("<", "\\u003c") };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which no tag can begin or end
  return <script {...attributes} dangerouslySetInnerHTML={html} />;
}

const SITE_NAME = "Front Row";
const SITE_TITLE = "Front Row? Edinburgh Fringe Festival Show Reviews";

/** docs/product.md §2.18, §3.13, §3.14. @param found undefined on screens other than the list */
export function pageHead(
  origin: string,
  found: FoundList | undefined,
  show: FoundShow | undefined,
): PageHead {
  if (show && found?.query.show !== undefined) return showHead(origin, show, !found.query.notes);
  const isIndexed = found === undefined || listUrl({ ...found.query, page: found.list.page }) === "/";
  const tags = [
    ...siteTags(SITE_TITLE, sitePreview.description),
    ...pictureTags(`${origin}/api/preview.png`, sitePreview, sitePreview.description),
  ];
  return { description: sitePreview.description, isIndexed, tags: isIndexed ? tags : [] };
}

function showHead(origin: string, found: FoundShow, isIndexed: boolean): PageHead {
  const { show } = found;
  const title = withoutDirections(distinctTitle(show));
  const url = origin + showUrl(show.id);
  const preview = previewOf(show);
  const { description } = preview;
  const image = `${origin}/api/shows/${encodeURIComponent(show.id)}/preview.png`;
  return {
    description,
    isIndexed,
    tags: [
      ...siteTags(title, description),
      ["og:url", url],
      ...pictureTags(image, preview, `${title}. ${description}`),
    ],
    event: isIndexed ? eventOf(found, url) : undefined,
  };
}

/** Services cache a picture by its URL, so a new picture needs a new URL. */
function pictureTags(address: string, preview: Preview, alt: string): [string, string][] {
  return [
    ["og:image", `${address}?v=${digestOfPreview(preview)}`],
    ["og:image:type", "image/png"],
    ["og:image:width", "1200"],
    ["og:image:height", "630"],
    ["og:image:alt", alt],
    ["twitter:card", "summary_large_image"],
  ];
}

function siteTags(title: string, description: string): [string, string][] {
  return [
    ["og:site_name", SITE_NAME],
    ["og:type", "website"],
    ["og:locale", "en_GB"],
    ["og:title", title],
    ["og:description", description],
  ];
}
