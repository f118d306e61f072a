// The network comes first. If it fails or is too slow, the worker answers from the saved list and the saved files of its
// build (docs/product.md §14.2). It ignores all other requests.

/** In ms. */
const MAX_WAIT = 8_000;

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

/** Searches all sets: a page is saved after all its files, and a file's name has its hash. */
async function findSaved(path) {
  try {
    return await caches.match(path, { ignoreVary: true });
  } catch {
    // The browser blocks storage for the site.
  }
}
