import { type FakeGithub, startFakeGithub } from "./github.ts";
import { type FakeGoogle, startFakeGoogle } from "./google.ts";

export interface FakeIdentityProviders {
  google: FakeGoogle;
  github: FakeGithub;
  /** For the site's server. */
  variables: Record<string, string>;
  close(): Promise<void>;
}

export async function startFakeIdentityProviders(origin: string): Promise<FakeIdentityProviders> {
  await using starting = new AsyncDisposableStack();
  const redirectUris = [`${origin}/auth/v1/callback`];
  const google = await startFakeGoogle({ redirectUris });
  starting.defer(google.close);
  const github = await startFakeGithub({ redirectUris });
  starting.defer(github.close);
  const variables = {
    GOOGLE_ISSUER: google.issuer,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_CLIENT_ID: github.clientId,
    GITHUB_CLIENT_SECRET: github.clientSecret,
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
  const started = starting.move();
  return { google, github, variables, close: () => started.disposeAsync() };
}
