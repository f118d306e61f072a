import { type Endpoint, type IdentityFaults, noIdentityFaults } from "./faults.ts";
import { type FakeProviderOptions, startProviderServer } from "./provider-server.ts";

export interface FakeGoogle {
  /** Without a trailing slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** May change at any time. */
  faults: IdentityFaults;
  /** Method, path and query, oldest first. */
  requests: string[];
  /** Stops at once and cuts off requests in flight. */
  close(): Promise<void>;
}

const endpoints = new Map<string, Endpoint>([
  ["/.well-known/openid-configuration", "discovery"],
  ["/jwks", "jwks"],
  ["/token", "token"],
  ["/me", "user"],
]);

/**
 * Plays Google for one site with these redirect URIs. Its page accepts any e-mail address. Rejects if it
 * cannot listen on the port (0: any free port).
 */
export async function startFakeGoogle({
  redirectUris,
  ...where
}: FakeProviderOptions & { redirectUris: string[] }): Promise<FakeGoogle> {
  const client = { id: "fake.apps.googleusercontent.example", secret: "fake-google-secret", redirectUris };
  const faults = noIdentityFaults();
  const { url, requests, close } = await startProviderServer({
    ...where,
    faults,
    endpoints,
    async createProvider(issuer) {
      const { createGoogleApp } = await import("./google-app.ts");
      return createGoogleApp({ issuer, client, faults });
    },
  });
  return { issuer: url, clientId: client.id, clientSecret: client.secret, faults, requests, close };
}
