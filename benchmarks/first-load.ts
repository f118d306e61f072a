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

/** Opens the first page in a Chromium that has never seen the site, and lists everything that it asks for. */
export async function measureFirstLoad(origin: string, running: AsyncDisposableStack): Promise<LoadedFile[]> {
  const browser = await openBrowser(running);
  const page = await browser.newPage();
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  await page.goto(origin, { waitUntil: "networkidle" });
  const files = await Promise.all(requests.map(describe));
  await browser.close();
  return files;
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
