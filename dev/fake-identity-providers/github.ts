import { type StandInOptions, startEdge } from "./edge.ts";
import { type Endpoint, type IdentityFaults, noIdentityFaults } from "./faults.ts";
import { createGithubApp } from "./github-app.ts";

export interface GithubStandIn {
  /** Where people sign in, without a trailing slash. */
  url: string;
  /** Where programs ask, without a trailing slash. */
  apiUrl: string;
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
  ["/login/oauth/access_token", "token"],
  ["/api/user", "user"],
  ["/api/user/emails", "emails"],
]);

/**
 * A local server that plays GitHub for one site, which comes back to exactly these addresses (the first one where it names
 * none). Its page asks who signs in, and believes it. Rejects when it cannot listen on the port (0: any free one).
 */
export async function startGithubStandIn({
  redirectUris,
  now = () => new Date(),
  ...where
}: StandInOptions & { redirectUris: string[]; now?: () => Date }): Promise<GithubStandIn> {
  const client = { id: "Iv1.stand-in", secret: "stand-in-github-secret", redirectUris };
  const faults = noIdentityFaults();
  const { url, requests, close } = await startEdge({
    ...where,
    faults,
    endpoints,
    createProvider: async () => createGithubApp({ client, faults, now }),
  });
  return { url, apiUrl: `${url}/api`, clientId: client.id, clientSecret: client.secret, faults, requests, close };
}
