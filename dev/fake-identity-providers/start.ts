import type { RequestListener } from "node:http";
import { type Endpoint, type IdentityFaults, noIdentityFaults } from "./faults.ts";
import { createGithubApp } from "./github-app.ts";
import { type ProviderServer, startProviderServer } from "./provider-server.ts";

interface FakeProvider extends ProviderServer {
  clientId: string;
  clientSecret: string;
  /** May change at any time. */
  faults: IdentityFaults;
}

export interface FakeIdentityProviders {
  google: FakeProvider & { issuer: string };
  github: FakeProvider;
  /** For the site's server. */
  variables: Record<string, string>;
  close(): Promise<void>;
}

interface AppOptions {
  issuer: string;
  client: { id: string; secret: string; redirectUris: string[] };
  faults: IdentityFaults;
}

const googleEndpoints = new Map<string, Endpoint>([
  ["/.well-known/openid-configuration", "discovery"],
  ["/jwks", "jwks"],
  ["/token", "token"],
  ["/me", "user"],
]);

const githubEndpoints = new Map<string, Endpoint>([
  ["/login/oauth/access_token", "token"],
  ["/api/user", "user"],
  ["/api/user/emails", "emails"],
]);

/** Play Google and GitHub for one site. Their pages accept any e-mail address. */
export async function startFakeIdentityProviders(origin: string): Promise<FakeIdentityProviders> {
  const redirectUris = [`${origin}/auth/v1/callback`];

  async function start(
    id: string,
    secret: string,
    endpoints: Map<string, Endpoint>,
    createApp: (options: AppOptions) => Promise<RequestListener>,
  ): Promise<FakeProvider> {
    const faults = noIdentityFaults();
    const client = { id, secret, redirectUris };
    const createProvider = (issuer: string) => createApp({ issuer, client, faults });
    const server = await startProviderServer({ faults, endpoints, createProvider });
    return { ...server, clientId: id, clientSecret: secret, faults };
  }

  const googleId = "fake.apps.googleusercontent.example";
  const google = await start(googleId, "fake-google-secret", googleEndpoints, async (options) =>
    (await import("./google-app.ts")).createGoogleApp(options),
  );
  const github = await start("Iv1.fake", "fake-github-secret", githubEndpoints, async (options) =>
    createGithubApp(options),
  );
  const variables = {
    GOOGLE_ISSUER: google.url,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
    GITHUB_URL: github.url,
    GITHUB_API_URL: `${github.url}/api`,
    GITHUB_CLIENT_ID: github.clientId,
    GITHUB_CLIENT_SECRET: github.clientSecret,
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
  return {
    google: { ...google, issuer: google.url },
    github,
    variables,
    async close() {
      await Promise.all([google.close(), github.close()]);
    },
  };
}
