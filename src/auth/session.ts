/** The supported identity providers, in the order in which the sign-in page offers them. */
export const providers = ["google", "github"] as const;

export type Provider = (typeof providers)[number];

export const providerNames: Record<Provider, string> = { google: "Google", github: "GitHub" };

export const tooManySignIns =
  "Too many people are signing in from your network just now. Please try again in a minute.";

/** The message of an unexpected failure of a sign-in with a provider of that name. */
export function signInUnavailable(providerName: string): string {
  return `Signing in with ${providerName} does not work just now. Please try again in a moment.`;
}

/** The user and session of an authenticated request. */
export interface SignedInUser {
  id: string;
  email: string;
  sessionId: string;
}

/** The user and session of a valid access token. The session may have ended since. */
export interface SessionClaims {
  userId: string;
  sessionId: string;
}
