import { Hono } from "hono";
import type { Codes } from "./github-codes.ts";
import { type Choice, errorPage, nobody, readChoice, signInPage } from "./page.ts";

/** A site as it is registered. */
export interface GithubClient {
  id: string;
  secret: string;
  redirectUris: string[];
}

/** What a site asks for when it sends somebody here. */
interface Asked {
  redirectUri: string;
  scopes: string[];
  state: string | undefined;
  challenge: string | undefined;
  loginHint: string | undefined;
}

interface Variables {
  asked: Asked;
}

/**
 * `/login/oauth/authorize`. As the real one: an unknown client is 404, and errors lead back to the site. Stricter than the
 * real one in that the address has to be a registered one to the letter.
 */
export function createGithubSignIn({ id, redirectUris }: GithubClient, codes: Codes): Hono<{ Variables: Variables }> {
  const signIn = new Hono<{ Variables: Variables }>();
  signIn.use(async ({ req, html, redirect, set }, next) => {
    const [registered] = redirectUris;
    if (req.query("client_id") !== id || !registered)
      return html(errorPage("GitHub", "404: no such application."), 404);
    const asked = readRequest(req.query(), registered);
    const refusal = redirectUris.includes(asked.redirectUri) ? refusalOf(req.query()) : "redirect_uri_mismatch";
    if (refusal) return redirect(back({ ...asked, redirectUri: registered }, errorOf(refusal)));
    set("asked", asked);
    return next();
  });
  signIn.get("/", ({ html, var: { asked } }) =>
    html(signInPage({ provider: "GitHub", site: siteOf(asked), email: asked.loginHint })),
  );
  signIn.post("/", async ({ req, html, redirect, var: { asked } }) => {
    const choice = readChoice(new URLSearchParams(await req.text()));
    if (!choice) return html(signInPage({ provider: "GitHub", site: siteOf(asked), problem: nobody }), 400);
    return redirect(back(asked, answerTo(choice, asked, codes)));
  });
  return signIn;
}

function readRequest(query: Record<string, string>, registered: string): Asked {
  return {
    redirectUri: query.redirect_uri || registered,
    scopes: (query.scope ?? "").split(/[\s,]+/).filter(Boolean),
    state: query.state,
    challenge: query.code_challenge,
    loginHint: query.login,
  };
}

type Refusal = "redirect_uri_mismatch" | "access_denied" | "temporarily_unavailable" | "invalid_request";

/** PKCE is done with S256 there, or not at all. */
function refusalOf(query: Record<string, string>): Refusal | null {
  return query.code_challenge && query.code_challenge_method !== "S256" ? "invalid_request" : null;
}

function answerTo(choice: NonNullable<Choice>, asked: Asked, codes: Codes): Record<string, string> {
  if (choice.kind === "deny") return errorOf("access_denied");
  if (choice.kind === "fail") return errorOf("temporarily_unavailable");
  const { redirectUri, scopes, challenge = null } = asked;
  return { code: codes.issue({ person: choice.person, redirectUri, scopes, challenge }) };
}

const descriptions: Record<Refusal, string> = {
  redirect_uri_mismatch: "The redirect_uri MUST match the registered callback URL for this application.",
  access_denied: "The user has denied your application access.",
  temporarily_unavailable: "The stand-in was told to fail.",
  invalid_request: "The code_challenge_method has to be S256.",
};

function errorOf(error: Refusal): Record<string, string> {
  const help = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-authorization-request-errors/#";
  return { error, error_description: descriptions[error], error_uri: help + error.replaceAll("_", "-") };
}

function back({ redirectUri, state }: Asked, answer: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

function siteOf({ redirectUri }: Asked): string {
  return new URL(redirectUri).host;
}
