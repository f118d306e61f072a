import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { IdentityFaults } from "./faults.ts";
import { createGithubApi } from "./github-api.ts";
import { createGithubSignIn } from "./github-sign-in.ts";
import { createGithubTokens, type GithubClient } from "./github-tokens.ts";

interface GithubOptions {
  client: GithubClient;
  faults: IdentityFaults;
}

/** The sign-in page, the token endpoint, and the two API routes that a site calls. */
export function createGithubApp({ client, faults }: GithubOptions): RequestListener {
  const tokens = createGithubTokens(client, faults);
  const app = new Hono()
    .route("/login/oauth/authorize", createGithubSignIn(client, tokens.issueCode))
    .route("/login/oauth/access_token", tokens.app)
    .route("/api", createGithubApi(tokens.bearerOf, faults));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
