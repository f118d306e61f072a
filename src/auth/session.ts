/** In the order in which the sign-in page offers them. */
export const providers = ["google", "github"] as const;

export type Provider = (typeof providers)[number];

export const providerNames: Record<Provider, string> = { google: "Google", github: "GitHub" };

/** How long after its begin a session may delete its user, in seconds (docs/product.md §6.18). */
export const REAUTHENTICATION_SECONDS = 300;

/** How long ago the provider may have authenticated the person then, in seconds, where it tells. */
export const MAX_AUTHENTICATION_AGE = 600;

export interface SignedInUser {
  id: string;
  email: string;
  sessionId: string;
}

/** Of a valid access token. The session may have ended since. */
export interface SessionClaims {
  userId: string;
  sessionId: string;
}
