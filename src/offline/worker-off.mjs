// In place of the worker while OFFLINE=0: it removes what was saved, and itself.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(removeAll()));

async function removeAll() {
  try {
    await caches.delete("front-row-saved");
  } finally {
    await self.registration.unregister();
  }
}
