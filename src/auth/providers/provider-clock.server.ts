import type { CustomFetch } from "openid-client";
import { fetchWithSizeLimit } from "./provider.server.ts";

export const CLOCK_TOLERANCE_SECONDS = 300;

/** Reads the `Date` of responses to POST requests, which no cache answers. */
export function createProviderClock(provider: string) {
  let ahead = 0;

  const fetch: CustomFetch = async (url, options) => {
    const response = await fetchWithSizeLimit(url, options);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (options.method === "POST" && !Number.isNaN(date)) ahead = Math.round((Date.now() - date) / 1000);
    return response;
  };

  return {
    fetch,
    /** In seconds since 1970. This machine's time before a first response. */
    now: () => Math.floor(Date.now() / 1000) - ahead,
    /** How far this machine's clock is off, in words; null within the tolerance. */
    difference() {
      if (Math.abs(ahead) <= CLOCK_TOLERANCE_SECONDS) return null;
      const direction = ahead > 0 ? "ahead of" : "behind";
      return `This machine's clock is ${Math.abs(ahead)} s ${direction} ${provider}'s: set it (timedatectl set-ntp true)`;
    },
  };
}
