// Replaces the worker while OFFLINE=0. It removes the saved list, then itself.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(removeAll()));

async function removeAll() {
  try {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name.startsWith("front-row-saved")).map((name) => caches.delete(name)),
    );
  } finally {
    await self.registration.unregister();
  }
}
