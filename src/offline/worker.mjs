// The network comes first. Only what failed, or did not answer in time, is answered from what a page has saved
// (docs/product.md §14.2): the list, and the files of its build. All other requests are left alone.

/** In ms. */
const MAX_WAIT = 8_000;

/** Their files come from where they came from, at once: scripts import scripts, and each would wait anew. */
const savedPages = new Set();

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request, clientId, resultingClientId } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    const onSaved = () => savedPages.add(resultingClientId);
    if (pathname === "/") event.respondWith(fetchOrFind(request, pathname, onSaved));
  } else if (pathname.startsWith("/assets/")) {
    const isSaved = savedPages.has(clientId);
    event.respondWith(isSaved ? findOrFetch(request, pathname) : fetchOrFind(request, pathname));
  }
});

async function findOrFetch(request, path) {
  return (await findSaved(path)) ?? fetch(request);
}

function fetchOrFind(request, path, onSaved) {
  return new Promise((resolve, reject) => {
    const answerSaved = async (error) => {
      const saved = await findSaved(path);
      if (saved) {
        onSaved?.();
        resolve(saved);
      } else if (error) reject(error);
    };
    const timer = setTimeout(answerSaved, MAX_WAIT);
    fetch(request)
      .then(resolve, answerSaved)
      .finally(() => clearTimeout(timer));
  });
}

/** In whichever set: a page is saved after all its files, and a file's name has its hash. */
async function findSaved(path) {
  try {
    return await caches.match(path, { ignoreVary: true });
  } catch {
    // The browser keeps nothing for the site any more.
  }
}
