import { type GithubStandIn, startGithubStandIn } from "./github.ts";
import { type GoogleStandIn, startGoogleStandIn } from "./google.ts";

/** Both providers' stand-ins, for one site. */
export interface IdentityStandIns {
  google: GoogleStandIn;
  github: GithubStandIn;
  /** What the site's server has to be told of them. */
  variables: Record<string, string>;
  close(): Promise<void>;
}

/** Starts both for the site at this origin. */
export async function startIdentityStandIns(origin: string): Promise<IdentityStandIns> {
  await using starting = new AsyncDisposableStack();
  const redirectUris = [`${origin}/auth/v1/callback`];
  const google = await startGoogleStandIn({ redirectUris });
  starting.defer(google.close);
  const github = await startGithubStandIn({ redirectUris });
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
