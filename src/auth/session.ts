/** In the order in which the sign-in page offers them. */
export const providers = ["google", "github"] as const;

export type Provider = (typeof providers)[number];

export const providerNames: Record<Provider, string> = { google: "Google", github: "GitHub" };

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
