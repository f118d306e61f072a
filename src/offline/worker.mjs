// The network comes first. Only what failed, or did not answer in time, is answered from what a page has saved
// (docs/product.md §14.2): the list, and the files of its build. All other requests are left alone.

const SAVED = "front-row-saved";

/** In ms. */
const MAX_WAIT = 8_000;

/** In ms, after a wait in vain: scripts import scripts, and each would wait anew. */
const NEXT_WAIT = 500;
const IMPATIENT_FOR = 60_000;

let impatientUntil = 0;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const isOurs = request.mode === "navigate" ? pathname === "/" : pathname.startsWith("/assets/");
  if (isOurs) event.respondWith(answer(request, pathname));
});

function answer(request, path) {
  return new Promise((resolve, reject) => {
    const answerSaved = async (error) => {
      const saved = await findSaved(path);
      if (saved) resolve(saved);
      else if (error) reject(error);
    };
    const giveUp = () => {
      impatientUntil = Date.now() + IMPATIENT_FOR;
      void answerSaved();
    };
    const timer = setTimeout(giveUp, Date.now() < impatientUntil ? NEXT_WAIT : MAX_WAIT);
    fetch(request)
      .then(resolve, answerSaved)
      .finally(() => clearTimeout(timer));
  });
}

async function findSaved(path) {
  try {
    const saved = await caches.open(SAVED);
    return await saved.match(path, { ignoreVary: true });
  } catch {
    // The browser keeps nothing for the site any more.
  }
}
