/*
 * The same page without server rendering: the browser gets an empty document, draws the list when it has all scripts, and asks
 * as the specification's client does (§7): for the shows with what their reviews answered, and for every review there is.
 */
import { createRoot } from "react-dom/client";
import { createBrowserRouter, Outlet } from "react-router";
import { RouterProvider } from "react-router/dom";
import { SessionProvider } from "../../../src/auth/session-provider.tsx";
import type { ShowPage } from "../../../src/domain/show.ts";
import ShowsPage from "../../../src/shows/page.tsx";
import { ToastProvider } from "../../../src/ui/toast.tsx";
import { type GroupedNotes, groupNotes, type ReviewRow, type Rows, toListedShow } from "./rows.ts";

async function loadShows(): Promise<ShowPage> {
  const { shows, total }: Omit<Rows, "reviews"> = await (await fetch("/shows")).json();
  return { year: 2025, page: 1, page_size: 20, total, shows: shows.map(toListedShow) };
}

/** All of them, grouped by show, as the notes on the cards want them. */
async function loadNotes(): Promise<{ reviews: GroupedNotes }> {
  const rows: ReviewRow[] = await (await fetch("/reviews")).json();
  return { reviews: groupNotes(rows) };
}

/** Asked for at once, as its client does; the page's own request for notes is answered with it. */
const notes = loadNotes();
const ownFetch = window.fetch;
window.fetch = async (...request) =>
  String(request[0]).startsWith("/api/reviews") ? Response.json(await notes) : ownFetch(...request);

function Site() {
  return (
    <SessionProvider clientKey="" providers={[]}>
      <Outlet />
    </SessionProvider>
  );
}

const page = {
  path: "/",
  loader: loadShows,
  Component: ShowsPage,
  HydrateFallback: () => <p className="measure">Loading shows...</p>,
};
const router = createBrowserRouter([{ Component: Site, children: [page] }]);

createRoot(document.body).render(
  <ToastProvider>
    <RouterProvider router={router} />
  </ToastProvider>,
);
