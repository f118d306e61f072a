/** How many requests one client may send within a number of seconds. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/**
 * The limits by client (docs/product.md §8.6). Hundreds of phones can share the address of a venue or a
 * provider.
 */
export const rateLimits = {
  /** Enough for 300 phones that open the site and search. */
  api: { requests: 1_000, seconds: 10 },
  /** Enough for 300 phones that open the site at once. */
  pages: { requests: 300, seconds: 10 },
  /** Enough for an audience that signs in after a show, with two requests each. */
  signIn: { requests: 300, seconds: 60 },
  /** Enough for the same audience to exchange codes, read users and refresh sessions. */
  authCalls: { requests: 600, seconds: 60 },
} as const satisfies Record<string, RateLimit>;
