import * as openid from "openid-client";
import { z } from "zod";
import type { GithubConfig } from "../../config/environment.server.ts";
import {
  fetchWithSizeLimit,
  type IdentityProvider,
  isEmail,
  PROVIDER_TIMEOUT,
  ProviderError,
} from "./provider.server.ts";

const user = z.object({ id: z.int().positive() });

const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

export function createGithub(config: GithubConfig, redirectUri: string): IdentityProvider {
  const provider = configure(config);
  return {
    async authorizationUrl({ state, providerVerifier }, extraParams) {
      return openid.buildAuthorizationUrl(provider, {
        ...extraParams,
        redirect_uri: redirectUri,
        scope: "user:email",
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(providerVerifier),
        code_challenge_method: "S256",
      });
    },
    async identify(callbackParams, { state, providerVerifier }) {
      const callbackUrl = new URL(`${redirectUri}?${callbackParams}`);
      const checks = { expectedState: state, pkceCodeVerifier: providerVerifier };
      const { access_token } = await openid.authorizationCodeGrant(provider, callbackUrl, checks);
      const get = createApiClient(config.apiUrl, access_token);
      const [{ id }, addresses] = await Promise.all([get("/user", user), get("/user/emails", emails)]);
      const primary = addresses.find((address) => address.primary);
      if (primary && !isEmail(primary.email))
        throw new ProviderError("The primary e-mail is not an e-mail address");
      return {
        provider: "github",
        subject: String(id),
        email: primary?.email ?? null,
        emailVerified: primary?.verified ?? false,
        authenticatedAgo: null,
      };
    },
  };
}

function configure({ url, clientId, clientSecret }: GithubConfig): openid.Configuration {
  const metadata = {
    issuer: `${url}/login/oauth`,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  };
  const provider = new openid.Configuration(metadata, clientId, clientSecret);
  provider[openid.customFetch] = fetchWithSizeLimit;
  provider.timeout = PROVIDER_TIMEOUT / 1000;
  if (url.startsWith("http:")) openid.allowInsecureRequests(provider);
  return provider;
}

function createApiClient(apiUrl: string, accessToken: string) {
  // `fetch` refuses such a header, with a message that quotes the token.
  if (!/^[\x21-\x7e]+$/.test(accessToken)) throw new ProviderError("The access token has invalid characters");
  const signal = AbortSignal.timeout(PROVIDER_TIMEOUT);
  const headers = {
    Accept: "application/vnd.github+json",
    Authorization: `Bearer ${accessToken}`,
    "User-Agent": "front-row",
  };
  return async function get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const response = await fetchWithSizeLimit(apiUrl + path, {
      method: "GET",
      headers,
      body: undefined,
      redirect: "manual",
      signal,
    });
    const { status } = response;
    const hint = path === "/user/emails" && (status === 403 || status === 404) ? permissionHint : "";
    if (status !== 200) throw new ProviderError(`${path} returned status ${status}${hint}`);
    const parsed = schema.safeParse(await response.json().catch(() => null));
    if (!parsed.success) throw new ProviderError(`${path} returned an unexpected response`);
    return parsed.data;
  };
}

/** Tokens of a GitHub App ignore the scope. The status of that refusal can also mean a rate limit. */
const permissionHint =
  ". If GITHUB_CLIENT_ID is that of a GitHub App, give it the account permission " +
  '"Email addresses: Read-only", or register an OAuth App and set its id and secret';
