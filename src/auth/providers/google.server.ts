import { timingSafeEqual } from "node:crypto";
import * as client from "openid-client";
import type { Logger } from "pino";
import { z } from "zod";
import type { GoogleConfig } from "../../config/environment.server.ts";
import { sha256 } from "../../lib/hash.server.ts";
import { SignInRefusedError, type VerifiedIdentity } from "../store/link-identity.server.ts";
import {
  fetchWithSizeLimit,
  type IdentityProvider,
  isEmail,
  PROVIDER_TIMEOUT,
  ProviderError,
} from "./provider.server.ts";

/** Between this machine's clock and Google's. */
const CLOCK_TOLERANCE_SECONDS = 120;

export function createGoogle(config: GoogleConfig, redirectUri: string, log: Logger): IdentityProvider {
  let provider: Promise<client.Configuration> | undefined;

  function discover(): Promise<client.Configuration> {
    provider ??= fetchConfiguration(config).catch((error: unknown) => {
      provider = undefined;
      throw error;
    });
    return provider;
  }

  return {
    async authorizationUrl({ state, nonce, providerVerifier, maxAge }, extraParams) {
      return client.buildAuthorizationUrl(await discover(), {
        ...extraParams,
        ...(maxAge !== undefined && { max_age: String(maxAge), claims: requestAuthTime }),
        redirect_uri: redirectUri,
        scope: "openid email",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(providerVerifier),
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
      const tokens = await client.authorizationCodeGrant(await discover(), callbackUrl, checks);
      const claims = tokens.claims();
      if (!claims) throw new ProviderError("The response has no ID token");
      if (!matchesAccessToken(claims.at_hash, tokens.access_token))
        throw new ProviderError("at_hash does not match the access token");
      const authenticatedAgo =
        claims.auth_time === undefined ? null : Math.floor(Date.now() / 1000) - claims.auth_time;
      if (maxAge !== undefined && authenticatedAgo === null) log.warn(noAuthTime);
      if (
        maxAge !== undefined &&
        (authenticatedAgo ?? Number.POSITIVE_INFINITY) > maxAge + CLOCK_TOLERANCE_SECONDS
      )
        throw new SignInRefusedError("reauthentication_needed");
      return { ...identityOf(claims), authenticatedAgo };
    },
  };
}

/** Google sends `auth_time` only if OpenID Connect's `claims` parameter requests it. */
const requestAuthTime = JSON.stringify({ id_token: { auth_time: { essential: true } } });

const noAuthTime =
  'Google does not say when it authenticated a person: nobody can delete an account by it. Turn on "Session age claims" in the settings of the Google Auth Platform';

/** Checks the endpoints, so that an invalid discovery document is not cached. */
async function fetchConfiguration({
  issuer,
  clientId,
  clientSecret,
}: GoogleConfig): Promise<client.Configuration> {
  const metadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
  const provider = await client.discovery(new URL(issuer), clientId, metadata, undefined, {
    execute: [client.enableNonRepudiationChecks, ...insecure],
    [client.customFetch]: fetchWithSizeLimit,
    timeout: PROVIDER_TIMEOUT / 1000,
  });
  const endpoint = z.url({ protocol: issuer.startsWith("http:") ? /^https?$/ : /^https$/ });
  const needed = z.object({ authorization_endpoint: endpoint, token_endpoint: endpoint, jwks_uri: endpoint });
  if (!needed.safeParse(provider.serverMetadata()).success)
    throw new ProviderError("The discovery document has invalid endpoints");
  return provider;
}

/** OpenID Connect Core, 3.1.3.6. Optional in this flow; SHA-256, because ID tokens are signed with RS256. */
function matchesAccessToken(atHash: unknown, accessToken: string): boolean {
  if (atHash === undefined) return true;
  if (typeof atHash !== "string") return false;
  const expected = sha256(accessToken).subarray(0, 16);
  const actual = Buffer.from(atHash, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function identityOf({ sub, email, email_verified }: client.IDToken): VerifiedIdentity {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new ProviderError("The subject is invalid");
  if (email !== undefined && !isEmail(email)) throw new ProviderError("The e-mail is not an e-mail address");
  return { provider: "google", subject: sub, email: email ?? null, emailVerified: email_verified === true };
}
