import { type StandInOptions, startEdge } from "./edge.ts";
import { type Endpoint, type IdentityFaults, noIdentityFaults } from "./faults.ts";
import { createGoogleApp } from "./google-app.ts";

export interface GoogleStandIn {
  /** Without a trailing slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What is wrong with it; change it at any time. */
  faults: IdentityFaults;
  /** Method, path and query of every request, oldest first. */
  requests: string[];
  /** Stops at once, whatever is being answered. */
  close(): Promise<void>;
}

const endpoints = new Map<string, Endpoint>([
  ["/.well-known/openid-configuration", "discovery"],
  ["/jwks", "jwks"],
  ["/token", "token"],
  ["/me", "user"],
]);

/**
 * A local OpenID provider that plays Google for one site, which comes back to exactly these addresses. Its page asks who
 * signs in, and believes it. Rejects when it cannot listen on the port (0: any free one).
 */
export async function startGoogleStandIn({
  redirectUris,
  ...where
}: StandInOptions & { redirectUris: string[] }): Promise<GoogleStandIn> {
  const client = { id: "stand-in.apps.googleusercontent.example", secret: "stand-in-google-secret", redirectUris };
  const faults = noIdentityFaults();
  const { url, requests, close } = await startEdge({
    ...where,
    faults,
    endpoints,
    createProvider: (issuer) => createGoogleApp({ issuer, client, faults }),
  });
  return { issuer: url, clientId: client.id, clientSecret: client.secret, faults, requests, close };
}
