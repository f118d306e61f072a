import type { RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { InteractionResults, Provider } from "oidc-provider";
import { createGoogleProvider, type GoogleOptions } from "./google-provider.ts";
import { createSigningKey } from "./id-token.ts";
import { errors } from "./oidc-library.ts";
import { type Choice, errorPage, invalidEmail, readChoice, signInPage } from "./page.ts";
import { accountNumber, type Person } from "./people.ts";

export async function createGoogleApp(
  options: Omit<GoogleOptions, "key" | "people">,
): Promise<RequestListener> {
  const people = new Map<string, Person>();
  const provider = createGoogleProvider({ ...options, key: await createSigningKey(), people });
  const serveProvider = provider.callback();
  const servePage = getRequestListener(createPages(provider, people).fetch, { overrideGlobalObjects: false });
  return (request, response) =>
    (request.url?.startsWith("/interaction/") ? servePage : serveProvider)(request, response);
}

function createPages(provider: Provider, people: Map<string, Person>): Hono<{ Bindings: HttpBindings }> {
  const pages = new Hono<{ Bindings: HttpBindings }>();
  pages.get("/interaction/:uid", async ({ env, html }) => {
    const { params } = await provider.interactionDetails(env.incoming, env.outgoing);
    return html(signInPage({ provider: "Google", site: siteOf(params), email: hintOf(params) }));
  });
  pages.post("/interaction/:uid", async ({ env, req, html, redirect }) => {
    const { params } = await provider.interactionDetails(env.incoming, env.outgoing);
    const choice = readChoice(new URLSearchParams(await req.text()));
    if (!choice)
      return html(signInPage({ provider: "Google", site: siteOf(params), problem: invalidEmail }), 400);
    const result = resultOf(choice, people);
    return redirect(await provider.interactionResult(env.incoming, env.outgoing, result), 303);
  });
  pages.onError((error, { html }) => {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    return html(
      errorPage("Google", "This sign-in is over, or began in another browser. Start again at the site."),
      400,
    );
  });
  return pages;
}

function siteOf({ redirect_uri: redirectUri }: Record<string, unknown>): string {
  return URL.parse(String(redirectUri))?.host ?? "";
}

function hintOf({ login_hint: hint }: Record<string, unknown>): string {
  return typeof hint === "string" ? hint : "";
}

/** In the form of the provider's library. Replaces the stored data of the user. */
function resultOf(choice: NonNullable<Choice>, people: Map<string, Person>): InteractionResults {
  if (choice.kind === "deny")
    return { error: "access_denied", error_description: "The user denied the request" };
  if (choice.kind === "fail")
    return { error: "server_error", error_description: "The fake provider was asked to fail" };
  const accountId = subjectOf(choice.person);
  people.set(accountId, choice.person);
  // The library needs a result for each possible prompt.
  const ts = Math.floor(Date.now() / 1000) - (choice.wasSignedIn ? 86_400 : 0);
  return { login: { accountId, ts }, consent: {}, select_account: {} };
}

/** 21 digits, as Google's are. */
function subjectOf({ email }: Person): string {
  return `1${String(accountNumber("Google", email)).padStart(20, "0")}`;
}
