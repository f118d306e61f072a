import { randomBytes } from "node:crypto";
import type { Configuration, Context, ErrorOut, GrantContext, Provider as OidcProvider } from "oidc-provider";
import type { IdentityFaults } from "./faults.ts";
import { type SigningKey, signAgain } from "./id-token.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { interactionPolicy, Provider } from "./oidc-library.ts";
import { errorPage } from "./page.ts";
import type { Person } from "./people.ts";

export interface GoogleOptions {
  issuer: string;
  client: { id: string; secret: string; redirectUris: string[] };
  key: SigningKey;
  /** By subject. */
  people: ReadonlyMap<string, Person>;
  faults: IdentityFaults;
}

/** Like Google, signs with RS256 and puts the claims of the e-mail into the ID token. */
export function createGoogleProvider(options: GoogleOptions): OidcProvider {
  const provider = new Provider(options.issuer, configuration(options));
  provider.use((ctx, next) => finish(ctx, next, options));
  return provider;
}

function configuration({ issuer, client, key, people }: GoogleOptions): Configuration {
  const { port } = new URL(issuer);
  return {
    adapter: createMemoryAdapter(),
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: client.redirectUris }],
    jwks: { keys: [key.jwk] },
    enabledJWA: { idTokenSigningAlgValues: ["RS256"] },
    clientAuthMethods: ["client_secret_post", "client_secret_basic"],
    responseTypes: ["code"],
    pkce: { required: () => false },
    scopes: ["openid", "email"],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, subject) => findAccount(people, subject),
    loadExistingGrant: grantRequestedScopes,
    interactions: { policy: promptsOfGoogle(), url: (_ctx, { uid }) => `/interaction/${uid}` },
    // The names contain the port: browsers share cookies between ports, and two fakes would overwrite them.
    cookies: {
      names: { session: `session-${port}`, interaction: `interaction-${port}`, resume: `resume-${port}` },
      keys: [randomBytes(32)],
      // Never requested, so that no session is remembered: each sign-in asks for the user.
      long: { path: "/no-session-is-remembered" },
    },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 3600,
      Session: 3600,
    },
    features: {
      claimsParameter: { enabled: true },
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    clientBasedCORS: () => false,
    renderError,
  };
}

function findAccount(people: ReadonlyMap<string, Person>, subject: string) {
  const person = people.get(subject);
  if (!person) return undefined;
  const { email, verified } = person;
  return { accountId: subject, claims: () => ({ sub: subject, email, email_verified: verified }) };
}

/** A user who continues has consented to all scopes. */
async function grantRequestedScopes({ oidc }: GrantContext) {
  const { provider, account, client, requestParamScopes } = oidc;
  const grant = new provider.Grant({ accountId: account?.accountId, clientId: client?.clientId });
  grant.addOIDCScope([...requestParamScopes].join(" "));
  await grant.save();
  return grant;
}

/** Google accepts other values of `prompt`. They have no effect here, because the page always appears. */
function promptsOfGoogle() {
  const { base, Prompt } = interactionPolicy;
  const policy = base();
  policy.remove("consent");
  for (const name of ["consent", "select_account"]) policy.add(new Prompt({ name, requestable: true }));
  return policy;
}

async function renderError(ctx: Context, { error, error_description }: ErrorOut): Promise<void> {
  ctx.type = "html";
  ctx.body = String(await errorPage("Google", `${error}: ${error_description ?? ""}`));
}

/**
 * Completes the ID token like Google, and applies the faults. Google ignores `max_age`, and sends `auth_time` only
 * if `claims` requests it (https://developers.google.com/identity/siwg/security-bundle, November 2026).
 */
async function finish(
  ctx: Context,
  next: () => Promise<void>,
  { key, faults }: GoogleOptions,
): Promise<void> {
  const { max_age: _, ...query } = ctx.query;
  ctx.query = query;
  await next();
  const { body } = ctx;
  const endpoint = endpointOf.get(ctx.oidc?.route ?? "");
  if (!endpoint || ctx.status !== 200 || !isJsonObject(body)) return;
  if (typeof body.id_token === "string" && typeof body.access_token === "string") {
    body.id_token = await signAgain(body.id_token, { accessToken: body.access_token, key, faults });
  }
  const change = faults.change[endpoint];
  if (change) ctx.body = change(body);
}

/** Keys are the library's route names. */
const endpointOf = new Map<string, "discovery" | "jwks" | "token" | "user">([
  ["discovery", "discovery"],
  ["jwks", "jwks"],
  ["token", "token"],
  ["userinfo", "user"],
]);

function isJsonObject(body: unknown): body is Record<string, unknown> {
  return typeof body === "object" && body !== null;
}
