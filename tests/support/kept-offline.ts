/** Runs in a page. Stored by the browser: paths in Cache Storage, and workers. */
export async function readKept() {
  const names = await caches.keys();
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  const workers = (await navigator.serviceWorker.getRegistrations()).length;
  return { paths: requests.flat().map(({ url }) => new URL(url).pathname), workers };
}
