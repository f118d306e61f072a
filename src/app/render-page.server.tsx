import { renderToString } from "react-dom/server";
import {
  createContext,
  createStaticHandler,
  createStaticRouter,
  RouterContextProvider,
  type StaticHandlerContext,
  StaticRouterProvider,
} from "react-router";
import { markSession } from "../auth/ui/session/mark-session.ts";
import { InlineScript } from "../browser/inline-script.tsx";
import { recordInput } from "../browser/input-before-hydration.tsx";
import { restoreScroll } from "../browser/restore-scroll.ts";
import { checkForUpdate } from "../browser/update-check.tsx";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { Operator } from "../domain/operator.ts";
import { ReportForm } from "../moderation/ui/report-fields.tsx";
import { ReportFormContext } from "../reviews/notes/note-list.tsx";
import type { FoundList } from "../shows/load-list.ts";
import { Document } from "./document.tsx";
import type { PageFiles } from "./page-files.server.ts";
import { DataBlock, PageHeadTags, pageHead } from "./page-head.server.tsx";
import PrivacyPage from "./routes/privacy.tsx";
import TermsPage from "./routes/terms.tsx";
import { createRoutes, ROOT } from "./routes.tsx";
import { PAGE_DATA, type PageData, type Site } from "./site.tsx";

const foundContext = createContext<FoundList>();

/** All inline scripts of our pages. */
export const inlineScripts = [markSession, checkForUpdate, recordInput, restoreScroll];

/** Their documents have no scripts. */
const textPages = ["/terms", "/privacy"];

interface RendererOptions {
  site: Site;
  operator: Operator | null;
  files: PageFiles;
  catalogue: Pick<Catalogue, "get">;
}

export function createPageRenderer({ site, operator, files, catalogue }: RendererOptions) {
  const { query, dataRoutes } = createStaticHandler(
    createRoutes(
      ({ context }) => context.get(foundContext),
      [
        { path: "terms", caseSensitive: true, element: <TermsPage operator={operator} /> },
        { path: "privacy", caseSensitive: true, element: <PrivacyPage operator={operator} /> },
      ],
    ),
  );

  function renderDocument(context: StaticHandlerContext, hasScripts: boolean): string {
    const found: FoundList | undefined = context.loaderData.list;
    const show = catalogue.get(found?.query.show ?? "");
    const data: PageData = { site, loaderData: { list: found } };
    return `<!DOCTYPE html>${renderToString(
      <ReportFormContext value={ReportForm}>
        <Document
          site={site}
          hasScripts={hasScripts}
          head={
            <>
              {files.styles.map((href) => (
                <link key={href} rel="stylesheet" href={href} />
              ))}
              <PageHeadTags head={pageHead(site.origin, found, show)} />
            </>
          }
          end={
            hasScripts && (
              <>
                <InlineScript text={restoreScroll} />
                {/* After the list: scripts would share a slow network with what the first paint needs. */}
                {[...files.imports, files.script].map((src) => (
                  <script key={src} type="module" src={src} fetchPriority="low" />
                ))}
                <DataBlock type="application/json" id={PAGE_DATA} data={data} />
              </>
            )
          }
        >
          <StaticRouterProvider
            router={createStaticRouter(dataRoutes, context)}
            context={context}
            hydrate={false}
          />
        </Document>
      </ReportFormContext>,
    )}`;
  }

  /** Returns the page at a path and query as HTML. @throws BrokenPageError if a component fails */
  return async function renderPage(address: string, found?: FoundList): Promise<string> {
    const requestContext = new RouterContextProvider(found && new Map([[foundContext, found]]));
    // Concatenated: `new URL` would take a path that begins with two slashes for another host.
    const context = await query(new Request(site.origin + address), { requestContext });
    if (context instanceof Response) throw new Error("No route redirects on the server");
    try {
      return renderDocument(context, !textPages.includes(address));
    } catch (error) {
      throw new BrokenPageError(error, renderDocument({ ...context, errors: { [ROOT]: error } }, false));
    }
  };
}

/** `html` is the page that says so. */
export class BrokenPageError extends Error {
  override name = "BrokenPageError";
  readonly html: string;

  constructor(cause: unknown, html: string) {
    super("A page could not be rendered", { cause });
    this.html = html;
  }
}
