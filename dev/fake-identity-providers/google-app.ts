import type { RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { errors, type InteractionResults, type Provider } from "oidc-provider";
import { createGoogleProvider, type GoogleOptions } from "./google-provider.ts";
import { createSigningKey } from "./id-token.ts";
import { type Choice, errorPage, nobody, readChoice, signInPage } from "./page.ts";
import { accountNumber, type Person } from "./people.ts";

/** The OpenID provider, and in the middle of its flow our page. */
export async function createGoogleApp(options: Omit<GoogleOptions, "key" | "people">): Promise<RequestListener> {
  const people = new Map<string, Person>();
  const provider = createGoogleProvider({ ...options, key: await createSigningKey(), people });
  const provide = provider.callback();
  const ask = getRequestListener(createPages(provider, people).fetch, { overrideGlobalObjects: false });
  return (request, response) => (request.url?.startsWith("/interaction/") ? ask : provide)(request, response);
}

/** The page on which somebody says who they are, in the middle of the provider's flow. */
function createPages(provider: Provider, people: Map<string, Person>): Hono<{ Bindings: HttpBindings }> {
  const pages = new Hono<{ Bindings: HttpBindings }>();
  pages.get("/interaction/:uid", async ({ env, html }) => {
    const { params } = await provider.interactionDetails(env.incoming, env.outgoing);
    return html(signInPage({ provider: "Google", site: siteOf(params), email: hintOf(params) }));
  });
  pages.post("/interaction/:uid", async ({ env, req, html, redirect }) => {
    const { params } = await provider.interactionDetails(env.incoming, env.outgoing);
    const choice = readChoice(new URLSearchParams(await req.text()));
    if (!choice) return html(signInPage({ provider: "Google", site: siteOf(params), problem: nobody }), 400);
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

/** What the choice means to the provider. An account is what was last said of it. */
function resultOf(choice: NonNullable<Choice>, people: Map<string, Person>): InteractionResults {
  if (choice.kind === "deny") return { error: "access_denied", error_description: "The user denied the request" };
  if (choice.kind === "fail") return { error: "server_error", error_description: "The stand-in was told to fail" };
  const accountId = subjectOf(choice.person);
  people.set(accountId, choice.person);
  // Each prompt that may have been asked for is answered by name.
  return { login: { accountId }, consent: {}, select_account: {} };
}

/** 21 digits, as Google's are. */
function subjectOf({ email }: Person): string {
  return `1${String(accountNumber("Google", email)).padStart(20, "0")}`;
}
