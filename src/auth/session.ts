/** Who vouches for people here, in the order in which they are offered. */
export const providers = ["google", "github"] as const;

export type Provider = (typeof providers)[number];

export const providerNames: Record<Provider, string> = { google: "Google", github: "GitHub" };

/** Somebody who is signed in, as the server's features know them. */
export interface SignedInUser {
  id: string;
  email: string;
  sessionId: string;
}

/** A session as an access token names it: it may be over. */
export interface SessionClaims {
  userId: string;
  sessionId: string;
}
