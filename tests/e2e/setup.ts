import { startProduct, startSmallSite } from "./support/sites.ts";

/**
 * Playwright's globalSetup: starts the two sites that tests only read from, and passes their addresses to the
 * workers in environment variables. Returns the teardown.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const [small, product] = await Promise.allSettled([startSmallSite(starting), startProduct(starting)]);
  if (small.status === "rejected") throw small.reason;
  if (product.status === "rejected") throw product.reason;
  process.env.SMALL_SITE = small.value.origin;
  process.env.TEST_POSTGRES = small.value.postgresUrl;
  process.env.PRODUCT = product.value;
  const running = starting.move();
  return () => running.disposeAsync();
}
