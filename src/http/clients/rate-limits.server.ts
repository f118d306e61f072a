/** How many requests one client may make within so many seconds. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** The limits by client; those of reviews are by user. Hundreds of phones can share the address of a venue or a provider. */
export const rateLimits = {
  /** 300 phones that open the site and search. */
  api: { requests: 1_000, seconds: 10 },
  /** 300 phones that open the site at once. */
  pages: { requests: 300, seconds: 10 },
  /** An audience signs in after a show, with two requests each. */
  signIn: { requests: 300, seconds: 60 },
  /** The same audience exchanges codes, reads users and refreshes sessions. */
  authCalls: { requests: 600, seconds: 60 },
} as const satisfies Record<string, RateLimit>;
