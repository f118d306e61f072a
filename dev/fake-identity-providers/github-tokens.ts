import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { IdentityFaults } from "./faults.ts";
import { type Codes, type Grant, isProven } from "./github-codes.ts";
import type { GithubClient } from "./github-sign-in.ts";

export interface GithubTokens {
  /** `/login/oauth/access_token`. */
  app: Hono;
  /** Undefined for an unknown token. */
  bearerOf(token: string): Grant | undefined;
}

/** Errors have status 200, too. Responses are form-encoded unless the client accepts JSON. */
export function createGithubTokens(client: GithubClient, codes: Codes, faults: IdentityFaults): GithubTokens {
  const bearers = new Map<string, Grant>();

  function exchange(form: URLSearchParams): Record<string, string> {
    if (form.get("client_id") !== client.id || form.get("client_secret") !== client.secret) {
      return errorOf("incorrect_client_credentials");
    }
    const grant = codes.redeem(form.get("code") ?? "");
    if (!grant || !isProven(grant, form.get("code_verifier"))) return errorOf("bad_verification_code");
    if ((form.get("redirect_uri") ?? grant.redirectUri) !== grant.redirectUri)
      return errorOf("redirect_uri_mismatch");
    const token = `gho_${randomBytes(18).toString("hex")}`;
    bearers.set(token, grant);
    return { access_token: token, scope: grant.scopes.join(","), token_type: "bearer" };
  }

  const app = new Hono();
  app.post("/", async ({ req, json, text }) => {
    const result = exchange(new URLSearchParams(await req.text()));
    if (req.header("accept")?.includes("json"))
      return json(faults.change.token ? faults.change.token(result) : result);
    const type = "application/x-www-form-urlencoded; charset=utf-8";
    return text(new URLSearchParams(result).toString(), 200, { "content-type": type });
  });
  return { app, bearerOf: (token) => bearers.get(token) };
}

const descriptions = {
  incorrect_client_credentials: "The client_id and/or client_secret passed are incorrect.",
  bad_verification_code: "The code passed is incorrect or expired.",
  redirect_uri_mismatch: "The redirect_uri MUST match the registered callback URL for this application.",
};

function errorOf(error: keyof typeof descriptions): Record<string, string> {
  const help =
    "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/#";
  return { error, error_description: descriptions[error], error_uri: help + error.replaceAll("_", "-") };
}
