import type { RateLimit } from "../http/clients/rate-limit.server.ts";

/**
 * The limits by client (docs/product.md §8.6). Hundreds of phones can share the address of a venue or a
 * provider.
 */
export const rateLimits = {
  /** All requests, files and health included: enough for 300 phones that open the site with empty caches. */
  requests: { requests: 5_000, seconds: 10 },
  /** Enough for 300 phones that open the site and search. */
  api: { requests: 1_000, seconds: 10 },
  /** Enough for 300 phones that open the site at once. */
  pages: { requests: 300, seconds: 10 },
  /** Of the API's requests, those for lists that are not cached. */
  searches: { requests: 1_000, seconds: 10, isExpensive: true },
  /** Of the pages, those that must be rendered. */
  renderings: { requests: 300, seconds: 10, isExpensive: true },
  /** Pictures for link previews. Services that show a link fetch one each. */
  previews: { requests: 60, seconds: 60, isExpensive: true },
  /** Reviews that signed-in users send: one from each of an audience of 300 (docs/product.md §5.16). */
  reviews: { requests: 300, seconds: 3_600 },
  /** Reports of notes. Whole audiences report nothing, so this is for a few people of one network. */
  reports: { requests: 20, seconds: 600 },
  /** Links to reports, for the operator alone. */
  moderation: { requests: 60, seconds: 60, isExpensive: true },
  /** Enough for an audience that signs in after a show, with two requests each. */
  signIn: { requests: 300, seconds: 60, isExpensive: true },
  /** Enough for the same audience to exchange codes, read users and refresh sessions. */
  authCalls: { requests: 600, seconds: 60, isExpensive: true },
} as const satisfies Record<string, RateLimit>;
