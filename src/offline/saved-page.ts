// A page says in an attribute of its root element whether browsers may save it, and a saved one that it was saved.

export const OFFERED = "data-offline";
/** src/shows/results.css shows the list of a saved page as loading. */
export const SAVED = "data-saved";

export function offer(isOffered: boolean) {
  return { [OFFERED]: isOffered ? "" : undefined };
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
