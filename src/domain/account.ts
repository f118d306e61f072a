/** In the order in which the sign-in page offers them. */
export const providers = ["google", "github"] as const;

export type Provider = (typeof providers)[number];

export const providerNames: Record<Provider, string> = { google: "Google", github: "GitHub" };

/** In seconds: how long after its start a session may delete its user (docs/product.md §6.18). */
export const REAUTHENTICATION_SECONDS = 300;

/** In seconds: how old the provider's authentication may be then, if the provider states its time. */
export const MAX_AUTHENTICATION_AGE = 600;

export interface SignedInUser {
  id: string;
  email: string;
  sessionId: string;
}

/** The claims of a valid access token. The session may have ended since. */
export interface SessionClaims {
  userId: string;
  sessionId: string;
}
