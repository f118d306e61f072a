import type { Request } from "@playwright/test";
import { openBrowser } from "../scripts/browser.ts";

/** What answered one request; sizes in bytes. */
export interface LoadedFile {
  /** Path without the hash of its content. */
  name: string;
  kind: string;
  /** As served, compressed. */
  served: number;
  whole: number;
}

/** What somebody loads who has never seen the site: with the first page, and then by pressing `Sign In`. */
export interface FirstLoad {
  page: LoadedFile[];
  signIn: LoadedFile[];
}

/** Opens the first page in a Chromium that has never seen the site, begins to sign in, and lists everything that it asks for. */
export async function measureFirstLoad(origin: string, running: AsyncDisposableStack): Promise<FirstLoad> {
  const browser = await openBrowser(running);
  const page = await browser.newPage();
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  const describeRequests = () => Promise.all(requests.splice(0).map(describe));
  await page.goto(origin, { waitUntil: "networkidle" });
  const first = await describeRequests();

  // 204: the browser stays, so that what it loaded before it would leave can be looked at.
  const leaving = page.waitForRequest("**/auth/v1/authorize?*");
  await page.route("**/auth/v1/authorize?*", (route) => route.fulfill({ status: 204 }));
  await page.getByRole("button", { name: "Sign In" }).click();
  requests.splice(requests.indexOf(await leaving), 1);
  const signIn = await describeRequests();
  await browser.close();
  return { page: first, signIn };
}

async function describe(request: Request): Promise<LoadedFile> {
  const response = await request.response();
  if (!response?.ok()) throw new Error(`${request.url()} was not answered as it should be`);
  return {
    name: new URL(request.url()).pathname.replace(/-[\w-]{8}(\.\w+)$/, "$1"),
    kind: request.resourceType(),
    served: (await request.sizes()).responseBodySize,
    whole: (await response.body()).length,
  };
}
