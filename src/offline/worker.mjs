// The network comes first. If it fails or is too slow, or something else answers for the site, the worker answers from
// the saved list and the saved files of its build (docs/product.md §14.2). It ignores all other requests.

/** In ms, for the whole response. */
const MAX_WAIT = 8_000;

const pages = ["/", "/auth", "/terms", "/privacy"];

/** A saved page gets its files from the cache at once: scripts import scripts, and each would wait for the network. */
const savedPages = new Set();

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request, clientId, resultingClientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    const onSaved = () => savedPages.add(resultingClientId);
    if (pages.includes(pathname)) event.respondWith(fetchOrFind(request, pathname, isPage, onSaved));
  } else if (pathname.startsWith("/assets/")) {
    const isSaved = savedPages.has(clientId);
    event.respondWith(isSaved ? findOrFetch(request, pathname) : fetchOrFind(request, pathname, isFile));
  }
});

async function findOrFetch(request, path) {
  return (await findSaved(path)) ?? fetch(request);
}

async function fetchOrFind(request, path, isUsable, onSaved) {
  const response = fetch(request);
  const inTime = await Promise.race([
    response.then(isUsable).catch(() => false),
    new Promise((resolve) => setTimeout(resolve, MAX_WAIT)),
  ]);
  const saved = inTime ? undefined : await findSaved(path);
  if (saved) onSaved?.();
  return saved ?? response;
}

/** A response of the site itself, as `OURS` of src/lib/responses.ts. */
const isOurs = ({ headers }) => headers.has("Front-Row");

const isFile = (response) => response.ok && isOurs(response);

/** People sign in to a network on a captive portal's page, so it is shown. Waits for the end: a response may be cut. */
async function isPage(response) {
  const { status, ok } = response;
  if (!isOurs(response) && (status === 429 || (status >= 500 && status !== 511))) return false;
  const text = await response.clone().text();
  return !ok || !isOurs(response) || text.includes("</html>");
}

/** Searches all sets: a page is saved after all its files, and a file's name has its hash. */
async function findSaved(path) {
  try {
    return await caches.match(path, { ignoreVary: true });
  } catch {
    // The browser blocks storage for the site.
  }
}
