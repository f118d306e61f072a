import { createServer, type ServerResponse } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";

/** What a festival's API without any understanding of its own records says. */
export interface RawListing {
  /** The records as JSON, or what stands in their place. */
  records: readonly string[];
  /** `x-total-results`; null leaves it out. */
  total: string | null;
  /** What one page answers instead, by the index of its first record: so often, then no more. */
  fault: { from: number; times: number; with: PageFault } | null;
  /** Every page is the first one. */
  repeatsFirstPage?: boolean;
}

export const pageFaults = ["error", "page of HTML", "half", "broken bytes", "object", "nothing"] as const;
export type PageFault = (typeof pageFaults)[number];

export interface RawFestival {
  url: string;
  serve(saying: RawListing): void;
  close(): Promise<void>;
}

/** A server that sends pages of up to 100 records exactly as they are given. */
export async function startRawFestival(): Promise<RawFestival> {
  let said: RawListing = { records: [], total: null, fault: null };
  let troubled = 0;
  const server = createServer(({ url = "" }, response) => {
    const from = Number(new URL(url, "http://x").searchParams.get("from"));
    const begin = said.repeatsFirstPage ? 0 : from;
    const page = `[${said.records.slice(begin, begin + 100).join(",")}]`;
    const { fault } = said;
    if (fault?.from === from && troubled++ < fault.times) return answerBadly(response, fault.with, page);
    const headers = { "Content-Type": "application/json; charset=utf8" };
    response.writeHead(200, said.total === null ? headers : { ...headers, "x-total-results": said.total }).end(page);
  });
  const url = await listenOnLoopback(server, 0);
  return {
    url,
    serve(saying) {
      said = saying;
      troubled = 0;
    },
    close: () => closeAtOnce(server),
  };
}

function answerBadly(response: ServerResponse, trouble: PageFault, page: string): void {
  if (trouble === "error") response.writeHead(500).end("<h1>Sorry</h1>");
  else if (trouble === "page of HTML") response.end("<!DOCTYPE html>");
  else if (trouble === "half") response.end(page.slice(0, page.length / 2));
  else if (trouble === "broken bytes") response.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(page)]));
  else if (trouble === "object") response.end(`{"events":${page}}`);
  else response.end();
}
