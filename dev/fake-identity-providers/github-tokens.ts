import { createHash, randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { IdentityFaults } from "./faults.ts";
import type { Person } from "./people.ts";

export interface GithubClient {
  id: string;
  secret: string;
  redirectUris: string[];
}

export interface Grant {
  person: Person;
  scopes: string[];
  redirectUri: string;
  /** S256, if the site sent one. */
  challenge: string | null;
}

export type IssueCode = (grant: Grant) => string;

/**
 * Codes, each for one exchange at `/login/oauth/access_token` (`app`). Errors have status 200, too. Responses are
 * form-encoded unless the client accepts JSON. `bearerOf` is undefined for an unknown token.
 */
export function createGithubTokens(client: GithubClient, faults: IdentityFaults) {
  const codes = new Map<string, Grant>();
  const bearers = new Map<string, Grant>();

  const issueCode: IssueCode = (grant) => {
    const code = randomBytes(10).toString("hex");
    codes.set(code, grant);
    return code;
  };

  function exchange(form: URLSearchParams): Record<string, string> {
    if (form.get("client_id") !== client.id || form.get("client_secret") !== client.secret)
      return errorOf("incorrect_client_credentials");
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
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
  return { app, issueCode, bearerOf: (token: string) => bearers.get(token) };
}

/** Without a challenge any verifier matches (RFC 7636, 4.6). */
function isProven({ challenge }: Grant, verifier: string | null): boolean {
  if (challenge === null) return true;
  const digest = createHash("sha256").update(verifier ?? "");
  return digest.digest("base64url") === challenge;
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
