import { createHash, timingSafeEqual } from "node:crypto";
import * as client from "openid-client";
import { z } from "zod";
import type { GoogleConfig } from "../../config/environment.server.ts";
import { pkceChallenge } from "../store/flows-table.server.ts";
import type { VerifiedIdentity } from "../store/link-identity.server.ts";
import { fetchWithSizeLimit, type IdentityProvider, isEmail, PROVIDER_TIMEOUT, ProviderError } from "./provider.server.ts";

/** How long what the provider says of itself is believed, in ms. */
const DISCOVERED_FOR = 24 * 60 * 60_000;

/** Google by OpenID Connect; discovered when it is needed first, and again after a day or a failure. */
export function createGoogle(config: GoogleConfig, redirectUri: string): IdentityProvider {
  let discovered: { provider: Promise<client.Configuration>; at: number } | undefined;

  function discover(): Promise<client.Configuration> {
    if (discovered && Date.now() - discovered.at < DISCOVERED_FOR) return discovered.provider;
    const discovering = { provider: ask(config), at: Date.now() };
    discovered = discovering;
    discovering.provider.catch(() => {
      if (discovered === discovering) discovered = undefined;
    });
    return discovering.provider;
  }

  return {
    async authorizationUrl({ state, nonce, providerVerifier }, wishes) {
      return client.buildAuthorizationUrl(await discover(), {
        ...wishes,
        redirect_uri: redirectUri,
        scope: "openid email",
        state,
        nonce,
        code_challenge: pkceChallenge(providerVerifier),
        code_challenge_method: "S256",
      });
    },
    async identify(returned, { state, nonce, providerVerifier }) {
      const tokens = await client.authorizationCodeGrant(await discover(), new URL(`${redirectUri}?${returned}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: providerVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new ProviderError("There is no ID token");
      if (!matchesAccessToken(claims.at_hash, tokens.access_token)) throw new ProviderError("at_hash is wrong");
      return readClaims(claims);
    },
  };
}

/** Rejects also where an address that is needed later is none: what is believed here is kept. */
async function ask({ issuer, clientId, clientSecret }: GoogleConfig): Promise<client.Configuration> {
  const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
  const provider = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [client.enableNonRepudiationChecks, ...insecure],
    [client.customFetch]: fetchWithSizeLimit,
    timeout: PROVIDER_TIMEOUT / 1000,
  });
  const address = z.url({ protocol: issuer.startsWith("http:") ? /^https?$/ : /^https$/ });
  const needed = z.object({ authorization_endpoint: address, token_endpoint: address, jwks_uri: address });
  if (!needed.safeParse(provider.serverMetadata()).success)
    throw new ProviderError("Discovery names no good addresses");
  return provider;
}

/** The library leaves `at_hash` to us (OpenID Connect Core, 3.1.3.6); in this flow it may be absent. ID tokens are RS256, hence SHA-256. */
function matchesAccessToken(atHash: unknown, accessToken: string): boolean {
  if (atHash === undefined) return true;
  if (typeof atHash !== "string") return false;
  const expected = createHash("sha256").update(accessToken).digest().subarray(0, 16);
  const given = Buffer.from(atHash, "base64url");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A subject is ASCII, 255 characters at most (OpenID Connect Core, 2). */
function readClaims({ sub, email, email_verified }: client.IDToken): VerifiedIdentity {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new ProviderError("The subject is none");
  if (email !== undefined && !isEmail(email)) throw new ProviderError("The e-mail is none");
  return { provider: "google", subject: sub, email: email ?? null, emailVerified: email_verified === true };
}
