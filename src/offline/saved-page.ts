// A page says in an attribute of its root element whether browsers may save it, and a saved one that it was saved.

const OFFERED = "data-offline";
/** src/shows/results.css shows the list of a saved page as loading. */
const SAVED = "data-saved";

export function offer(isOffered: boolean) {
  return { [OFFERED]: isOffered ? "" : undefined };
}

/** Null for a page that is not to be saved. */
export function markSaved(html: string): string | null {
  const marked = html.replace(` ${OFFERED}=`, ` ${SAVED}=`);
  return marked === html ? null : marked;
}

/** Whether the list on screen is the one that was saved with this page. */
export function isSavedPage(): boolean {
  return document.documentElement.hasAttribute(SAVED);
}

/** As `isSavedPage`, for the last time: the list is about to be found anew. */
export function takeSavedMark(): boolean {
  const isSaved = isSavedPage();
  document.documentElement.removeAttribute(SAVED);
  return isSaved;
}
