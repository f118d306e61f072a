import { Hono } from "hono";
import type { GithubClient, IssueCode } from "./github-tokens.ts";
import { type Choice, errorPage, invalidEmail, readChoice, signInPage } from "./page.ts";

interface AuthorizationRequest {
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
  challenge: string | undefined;
  loginHint: string | undefined;
}

interface Variables {
  authorization: AuthorizationRequest;
}

/**
 * `/login/oauth/authorize`. Like GitHub, it sends 404 to an unknown client and redirects other errors to the
 * site. It is stricter: the redirect URI must equal a registered one.
 */
export function createGithubSignIn(
  { id, redirectUris }: GithubClient,
  issueCode: IssueCode,
): Hono<{ Variables: Variables }> {
  const signIn = new Hono<{ Variables: Variables }>();
  signIn.use(async ({ req, html, redirect, set }, next) => {
    const [registered] = redirectUris;
    if (req.query("client_id") !== id || !registered)
      return html(errorPage("GitHub", "404: no such application."), 404);
    const authorization = readRequest(req.query(), registered);
    const isRegistered = redirectUris.includes(authorization.redirectUri);
    const refusal = isRegistered ? refusalOf(req.query()) : "redirect_uri_mismatch";
    if (refusal)
      return redirect(redirectUrl({ ...authorization, redirectUri: registered }, errorOf(refusal)));
    set("authorization", authorization);
    return next();
  });
  signIn.get("/", ({ html, var: { authorization } }) =>
    html(signInPage({ provider: "GitHub", site: siteOf(authorization), email: authorization.loginHint })),
  );
  signIn.post("/", async ({ req, html, redirect, var: { authorization } }) => {
    const choice = readChoice(new URLSearchParams(await req.text()));
    if (!choice)
      return html(
        signInPage({ provider: "GitHub", site: siteOf(authorization), problem: invalidEmail }),
        400,
      );
    return redirect(redirectUrl(authorization, responseTo(choice, authorization, issueCode)));
  });
  return signIn;
}

function readRequest(query: Record<string, string>, registered: string): AuthorizationRequest {
  return {
    redirectUri: query.redirect_uri || registered,
    scopes: (query.scope ?? "").split(/[\s,]+/).filter(Boolean),
    state: query.state,
    challenge: query.code_challenge,
    loginHint: query.login,
  };
}

type Refusal = "redirect_uri_mismatch" | "access_denied" | "temporarily_unavailable" | "invalid_request";

/** GitHub supports PKCE with S256 only. */
function refusalOf(query: Record<string, string>): Refusal | null {
  return query.code_challenge && query.code_challenge_method !== "S256" ? "invalid_request" : null;
}

function responseTo(
  choice: NonNullable<Choice>,
  authorization: AuthorizationRequest,
  issueCode: IssueCode,
): Record<string, string> {
  if (choice.kind === "deny") return errorOf("access_denied");
  if (choice.kind === "fail") return errorOf("temporarily_unavailable");
  const { redirectUri, scopes, challenge = null } = authorization;
  return { code: issueCode({ person: choice.person, redirectUri, scopes, challenge }) };
}

const descriptions: Record<Refusal, string> = {
  redirect_uri_mismatch: "The redirect_uri MUST match the registered callback URL for this application.",
  access_denied: "The user has denied your application access.",
  temporarily_unavailable: "The fake provider was asked to fail.",
  invalid_request: "The code_challenge_method has to be S256.",
};

function errorOf(error: Refusal): Record<string, string> {
  const help =
    "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-authorization-request-errors/#";
  return { error, error_description: descriptions[error], error_uri: help + error.replaceAll("_", "-") };
}

function redirectUrl({ redirectUri, state }: AuthorizationRequest, params: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

function siteOf({ redirectUri }: AuthorizationRequest): string {
  return new URL(redirectUri).host;
}
