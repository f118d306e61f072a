import type { CustomFetch } from "openid-client";
import { fetchWithSizeLimit } from "./provider.server.ts";

/** How far this machine's clock may differ from a provider's, in seconds. */
export const CLOCK_TOLERANCE = 300;

/** Compares this machine's clock with that of a provider. */
interface ProviderClock {
  /** The `fetch` for requests to the provider. */
  fetch: CustomFetch;
  /** The provider's time in seconds since 1970; this machine's, before a first response. */
  now(): number;
  /** Says how far this machine's clock is off, as of the last response; null within the tolerance. */
  difference(): string | null;
}

/** The provider's time is the `Date` of its responses to POST requests, which no cache answers. */
export function createProviderClock(provider: string): ProviderClock {
  /** In seconds; negative if this machine's clock is behind. */
  let ahead = 0;

  return {
    async fetch(url, options) {
      const response = await fetchWithSizeLimit(url, options);
      const date = Date.parse(response.headers.get("date") ?? "");
      if (options.method === "POST" && !Number.isNaN(date)) ahead = Math.round((Date.now() - date) / 1000);
      return response;
    },
    now: () => Math.floor(Date.now() / 1000) - ahead,
    difference() {
      if (Math.abs(ahead) <= CLOCK_TOLERANCE) return null;
      const direction = ahead > 0 ? "ahead of" : "behind";
      return `This machine's clock is ${Math.abs(ahead)} s ${direction} ${provider}'s: set it (timedatectl set-ntp true)`;
    },
  };
}
