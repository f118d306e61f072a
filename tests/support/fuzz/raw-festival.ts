import { createServer, type ServerResponse } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";

/** What the API sends, which need not be valid. */
export interface RawListing {
  /** The records as JSON, or other texts in their places. */
  records: readonly string[];
  /** The header `x-total-results`; null omits it. */
  total: string | null;
  /** A fault of the page that begins with the record `from`, for the first `times` requests. */
  fault: { from: number; times: number; with: PageFault } | null;
  /** Whether every page is the first one. */
  repeatsFirstPage?: boolean;
}

const faults = {
  "HTTP 500": (response) => response.writeHead(500).end("<h1>Sorry</h1>"),
  "page of HTML": (response) => response.end("<!DOCTYPE html>"),
  truncated: (response, page) => response.end(page.slice(0, page.length / 2)),
  "broken bytes": (response, page) =>
    response.end(Buffer.concat([Buffer.of(0xff, 0xfe, 0), Buffer.from(page)])),
  object: (response, page) => response.end(`{"events":${page}}`),
  "empty body": (response) => response.end(),
} satisfies Record<string, (response: ServerResponse, page: string) => unknown>;

export type PageFault = keyof typeof faults;
export const pageFaults = [
  "HTTP 500",
  "page of HTML",
  "truncated",
  "broken bytes",
  "object",
  "empty body",
] as const;

export interface RawFestival {
  url: string;
  serve(listing: RawListing): void;
  close(): Promise<void>;
}

/** Starts a fake API that sends pages of up to 100 records unchanged. */
export async function startRawFestival(): Promise<RawFestival> {
  let current: RawListing = { records: [], total: null, fault: null };
  let faultCount = 0;
  const server = createServer(({ url = "" }, response) => {
    const from = Number(new URL(url, "http://x").searchParams.get("from"));
    const begin = current.repeatsFirstPage ? 0 : from;
    const page = `[${current.records.slice(begin, begin + 100).join(",")}]`;
    const { fault } = current;
    if (fault?.from === from && faultCount++ < fault.times) return faults[fault.with](response, page);
    const headers = { "Content-Type": "application/json; charset=utf8" };
    response
      .writeHead(200, current.total === null ? headers : { ...headers, "x-total-results": current.total })
      .end(page);
  });
  const url = await listenOnLoopback(server, 0);
  return {
    url,
    serve(listing) {
      current = listing;
      faultCount = 0;
    },
    close: () => closeAtOnce(server),
  };
}
