import type { RateLimit } from "../http/clients/rate-limit.server.ts";

/** By client (docs/product.md §8.6): hundreds of phones can share the address of a venue or a provider. */
export const rateLimits = {
  /** For all requests. Enough for 300 phones that open the site with empty caches. */
  requests: { requests: 5_000, seconds: 10 },
  /** Enough for 300 phones that open the site and search. */
  api: { requests: 1_000, seconds: 10 },
  /** Enough for 300 phones that open the site at once. */
  pages: { requests: 300, seconds: 10 },
  searches: { requests: 1_000, seconds: 10, isExpensive: true },
  renderings: { requests: 300, seconds: 10, isExpensive: true },
  /** A service that shows a link fetches one. */
  previews: { requests: 60, seconds: 60, isExpensive: true },
  /** One from each of an audience of 300 (docs/product.md §5.16). */
  reviews: { requests: 300, seconds: 3_600 },
  /** For a few visitors of one network: no audience reports together. */
  reports: { requests: 20, seconds: 600 },
  moderation: { requests: 60, seconds: 60, isExpensive: true },
  /** Enough for an audience that signs in after a show, with two requests each. */
  signIn: { requests: 300, seconds: 60, isExpensive: true },
  authCalls: { requests: 600, seconds: 60, isExpensive: true },
} as const satisfies Record<string, RateLimit>;
