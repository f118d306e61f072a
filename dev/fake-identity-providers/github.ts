import { type Endpoint, type IdentityFaults, noIdentityFaults } from "./faults.ts";
import { createGithubApp } from "./github-app.ts";
import { type FakeProviderOptions, startProviderServer } from "./provider-server.ts";

export interface FakeGithub {
  /** The website, without a trailing slash. */
  url: string;
  /** The API, without a trailing slash. */
  apiUrl: string;
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
  ["/login/oauth/access_token", "token"],
  ["/api/user", "user"],
  ["/api/user/emails", "emails"],
]);

/**
 * Plays GitHub for one site with these redirect URIs (the first is the default). Its page accepts any e-mail
 * address. Rejects if it cannot listen on the port (0: any free port).
 */
export async function startFakeGithub({
  redirectUris,
  ...where
}: FakeProviderOptions & { redirectUris: string[] }): Promise<FakeGithub> {
  const client = { id: "Iv1.fake", secret: "fake-github-secret", redirectUris };
  const faults = noIdentityFaults();
  const { url, requests, close } = await startProviderServer({
    ...where,
    faults,
    endpoints,
    createProvider: async () => createGithubApp({ client, faults }),
  });
  return {
    url,
    apiUrl: `${url}/api`,
    clientId: client.id,
    clientSecret: client.secret,
    faults,
    requests,
    close,
  };
}
