import { timingSafeEqual } from "node:crypto";
import * as openid from "openid-client";
import type { Logger } from "pino";
import { z } from "zod";
import type { GoogleConfig } from "../../config/environment.server.ts";
import { sha256 } from "../../lib/hash.server.ts";
import type { VerifiedIdentity } from "../store/link-identity.server.ts";
import {
  fetchWithSizeLimit,
  type IdentityProvider,
  isEmail,
  PROVIDER_TIMEOUT,
  ProviderError,
} from "./provider.server.ts";

const CLOCK_TOLERANCE_SECONDS = 300;

/** In seconds after the expiry, by Google's clock. */
const EXPIRY_LEEWAY = 30;

export function createGoogle(config: GoogleConfig, redirectUri: string, log: Logger): IdentityProvider {
  const clock = createProviderClock();
  let provider: Promise<openid.Configuration> | undefined;

  function discover(): Promise<openid.Configuration> {
    provider ??= fetchConfiguration(config, clock.fetch).catch((error: unknown) => {
      provider = undefined;
      throw error;
    });
    return provider;
  }

  return {
    async authorizationUrl({ state, nonce, providerVerifier, maxAge }, extraParams) {
      return openid.buildAuthorizationUrl(await discover(), {
        ...extraParams,
        ...(maxAge !== undefined && { max_age: String(maxAge), claims: requestAuthTime }),
        redirect_uri: redirectUri,
        scope: "openid email",
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(providerVerifier),
        code_challenge_method: "S256",
      });
    },
    async identify(callbackParams, { state, nonce, providerVerifier, maxAge }) {
      const callbackUrl = new URL(`${redirectUri}?${callbackParams}`);
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: providerVerifier,
        idTokenExpected: true,
      };
      const tokens = await openid
        .authorizationCodeGrant(await discover(), callbackUrl, checks)
        .catch((error) => {
          throw blameClock(error, clock.difference());
        });
      const difference = clock.difference();
      if (difference) log.warn(difference);
      const claims = tokens.claims();
      if (!claims) throw new ProviderError("The response has no ID token");
      if (claims.exp <= clock.now() - EXPIRY_LEEWAY) throw new ProviderError("The ID token has expired");
      if (!matchesAccessToken(claims.at_hash, tokens.access_token))
        throw new ProviderError("at_hash does not match the access token");
      const authenticatedAgo = claims.auth_time === undefined ? null : clock.now() - claims.auth_time;
      if (maxAge !== undefined && authenticatedAgo === null) log.warn(noAuthTime);
      if (maxAge !== undefined && (authenticatedAgo ?? Number.POSITIVE_INFINITY) > maxAge + EXPIRY_LEEWAY)
        return { refused: "reauthentication_needed" };
      return { ...identityOf(claims), authenticatedAgo };
    },
  };
}

/** Google sends `auth_time` only if OpenID Connect's `claims` parameter requests it. */
const requestAuthTime = JSON.stringify({ id_token: { auth_time: { essential: true } } });

const noAuthTime =
  'Google does not say when it authenticated a person: nobody can delete an account by it. Turn on "Session age claims" in the settings of the Google Auth Platform';

/** Checks the endpoints: a document that lacks one would be kept, and nobody could sign in until the next start. */
async function fetchConfiguration(
  { issuer, clientId, clientSecret }: GoogleConfig,
  fetch: openid.CustomFetch,
): Promise<openid.Configuration> {
  const metadata = { client_secret: clientSecret, [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const insecure = issuer.startsWith("http:") ? [openid.allowInsecureRequests] : [];
  const provider = await openid.discovery(new URL(issuer), clientId, metadata, undefined, {
    execute: [openid.enableNonRepudiationChecks, ...insecure],
    [openid.customFetch]: fetch,
    timeout: PROVIDER_TIMEOUT / 1000,
  });
  const endpoint = z.url({ protocol: issuer.startsWith("http:") ? /^https?$/ : /^https$/ });
  const needed = z.object({ authorization_endpoint: endpoint, token_endpoint: endpoint, jwks_uri: endpoint });
  if (!needed.safeParse(provider.serverMetadata()).success)
    throw new ProviderError("The discovery document has invalid endpoints");
  return provider;
}

/** Replaces an error about times by one that names the wrong clock. */
function blameClock(error: unknown, difference: string | null): unknown {
  const isAboutTimes =
    error instanceof openid.ClientError && error.code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED";
  return difference && isAboutTimes ? new ProviderError(difference) : error;
}

/** Reads `Date` from responses to POST requests only, which no cache answers. */
function createProviderClock() {
  let ahead = 0;

  const fetch: openid.CustomFetch = async (url, options) => {
    const response = await fetchWithSizeLimit(url, options);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (options.method === "POST" && !Number.isNaN(date)) ahead = Math.round((Date.now() - date) / 1000);
    return response;
  };

  return {
    fetch,
    /** In seconds since 1970. Before the first response, this machine's time. */
    now: () => Math.floor(Date.now() / 1000) - ahead,
    /** A message that says how far this machine's clock is off; null within the tolerance. */
    difference() {
      if (Math.abs(ahead) <= CLOCK_TOLERANCE_SECONDS) return null;
      const direction = ahead > 0 ? "ahead of" : "behind";
      return `This machine's clock is ${Math.abs(ahead)} s ${direction} Google's: set it (timedatectl set-ntp true)`;
    },
  };
}

/** OpenID Connect Core, 3.1.3.6. Optional in this flow; SHA-256, because ID tokens are signed with RS256. */
function matchesAccessToken(atHash: unknown, accessToken: string): boolean {
  if (atHash === undefined) return true;
  if (typeof atHash !== "string") return false;
  const expected = sha256(accessToken).subarray(0, 16);
  const actual = Buffer.from(atHash, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function identityOf({ sub, email, email_verified }: openid.IDToken): VerifiedIdentity {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new ProviderError("The subject is invalid");
  if (email !== undefined && !isEmail(email)) throw new ProviderError("The e-mail is not an e-mail address");
  return { provider: "google", subject: sub, email: email ?? null, emailVerified: email_verified === true };
}
