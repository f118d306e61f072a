import { createContext, useContext } from "react";
import { useRouteLoaderData } from "react-router";

/** Only for search engines and link previews, so browsers load no script for it. */
export interface PageHead {
  description: string;
  isIndexed: boolean;
  /** Open Graph and Twitter. */
  tags: [property: string, content: string][];
  event?: object | undefined;
}

export const PageHeadContext = createContext<PageHead | null>(null);

/** URLs of the modules that a page imports. Set while the server renders it. */
export const ImportedModules = createContext<readonly string[]>([]);

/** In the browser it renders nothing, and the server's tags stay. */
export function PageHeadTags() {
  const head = useContext(PageHeadContext);
  if (!head) return null;
  const { description, isIndexed, tags, event } = head;
  return (
    <>
      <meta name="description" content={description} />
      {!isIndexed && <meta name="robots" content="noindex" />}
      {tags.map(([property, content]) => (
        <meta key={property} property={property} content={content} />
      ))}
      {event && <DataBlock data={event} />}
    </>
  );
}

/** Not a script that runs, so the Content-Security-Policy need not allow it. */
function DataBlock({ data }: { data: object }) {
  const html = { __html: JSON.stringify(data).replaceAll("<", "\\u003c") };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which no tag can begin or end
  return <script type="application/ld+json" dangerouslySetInnerHTML={html} />;
}

export function Canonical({ path }: { path: string }) {
  const { origin } = useRouteLoaderData<{ origin: string }>("root") ?? {};
  return <link rel="canonical" href={`${origin}${path}`} />;
}

/** High priority would let 98 KB compete with the stylesheet. The first paint needs no script. */
export function ScriptPreloads() {
  return useContext(ImportedModules).map((href) => (
    <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
  ));
}
