import * as client from "openid-client";
import { z } from "zod";
import type { GithubConfig } from "../../config/environment.server.ts";
import { pkceChallenge } from "../store/flows-table.server.ts";
import { fetchWithSizeLimit, type IdentityProvider, isEmail, PROVIDER_TIMEOUT, ProviderError } from "./provider.server.ts";

const user = z.object({ id: z.int().positive() });

const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub: plain OAuth 2 with PKCE, and two calls of its REST API that tell who it is. */
export function createGithub(config: GithubConfig, redirectUri: string): IdentityProvider {
  const provider = configure(config);
  return {
    async authorizationUrl({ state, providerVerifier }, wishes) {
      return client.buildAuthorizationUrl(provider, {
        ...wishes,
        redirect_uri: redirectUri,
        scope: "user:email",
        state,
        code_challenge: pkceChallenge(providerVerifier),
        code_challenge_method: "S256",
      });
    },
    async identify(returned, { state, providerVerifier }) {
      const { access_token } = await client.authorizationCodeGrant(provider, new URL(`${redirectUri}?${returned}`), {
        expectedState: state,
        pkceCodeVerifier: providerVerifier,
      });
      const ask = createAsk(config.apiUrl, access_token);
      const [{ id }, addresses] = await Promise.all([ask("/user", user), ask("/user/emails", emails)]);
      const primary = addresses.find((address) => address.primary);
      if (primary && !isEmail(primary.email)) throw new ProviderError("The e-mail is none");
      return {
        provider: "github",
        subject: String(id),
        email: primary?.email ?? null,
        emailVerified: primary?.verified ?? false,
      };
    },
  };
}

function configure({ url, clientId, clientSecret }: GithubConfig): client.Configuration {
  const metadata = {
    issuer: `${url}/login/oauth`,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  };
  const provider = new client.Configuration(metadata, clientId, clientSecret);
  provider[client.customFetch] = fetchWithSizeLimit;
  provider.timeout = PROVIDER_TIMEOUT / 1000;
  if (url.startsWith("http:")) client.allowInsecureRequests(provider);
  return provider;
}

/** Asks the REST API, which refuses requests without a User-Agent. */
function createAsk(apiUrl: string, accessToken: string) {
  // The platform's own refusal of such a header would quote it.
  if (!/^[\x21-\x7e]+$/.test(accessToken)) throw new ProviderError("The access token is none");
  const signal = AbortSignal.timeout(PROVIDER_TIMEOUT);
  const headers = {
    Accept: "application/vnd.github+json",
    Authorization: `Bearer ${accessToken}`,
    "User-Agent": "front-row",
  };
  return async function ask<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const answer = await fetchWithSizeLimit(apiUrl + path, {
      method: "GET",
      headers,
      body: undefined,
      redirect: "manual",
      signal,
    });
    if (answer.status !== 200) throw new ProviderError(`${path} answered ${answer.status}`);
    const parsed = schema.safeParse(await answer.json().catch(() => null));
    if (!parsed.success) throw new ProviderError(`${path} did not answer what it should`);
    return parsed.data;
  };
}
