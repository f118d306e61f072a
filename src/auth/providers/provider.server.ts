import type { CustomFetch } from "openid-client";
import { limitResponse } from "../../lib/responses.ts";
import type { VerifiedIdentity } from "../store/link-identity.server.ts";
import type { SignInAttempt } from "../tokens/sign-in-attempt.server.ts";

type AttemptAtProvider = Pick<SignInAttempt, "nonce" | "providerVerifier" | "maxAge"> & { state: string };

export interface ProvidedIdentity extends VerifiedIdentity {
  /** In seconds: how long ago the provider authenticated the user. Null if it does not say. */
  authenticatedAgo: number | null;
}

export interface IdentityProvider {
  /** @param extraParams allow-listed query parameters of the visitor's request to pass on */
  authorizationUrl(attempt: AttemptAtProvider, extraParams: Record<string, string>): Promise<URL>;
  /** @throws ProviderError, and errors of `openid-client` and `fetch` */
  identify(
    callbackParams: URLSearchParams,
    attempt: AttemptAtProvider,
  ): Promise<ProvidedIdentity | { refused: "reauthentication_needed" }>;
}

/** The provider's response is invalid. The message contains no secret. */
export class ProviderError extends Error {
  override name = "ProviderError";
}

/** For all requests to a provider in one step, in ms (docs/product.md §6.5). */
export const PROVIDER_TIMEOUT = 10_000;

const MAX_RESPONSE_BYTES = 1_000_000;

/** @throws ProviderError while reading a larger body */
export const fetchWithSizeLimit: CustomFetch = async (url, options) => {
  const requestBody = options.body instanceof Uint8Array ? new Uint8Array(options.body) : options.body;
  const response = await fetch(url, { ...options, body: requestBody });
  return limitResponse(response, MAX_RESPONSE_BYTES, new ProviderError("The response is too large"));
};

export function isEmail(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text.length <= 320 &&
    text.isWellFormed() &&
    /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text)
  );
}
