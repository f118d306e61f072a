import type { CustomFetch } from "openid-client";
import type { VerifiedIdentity } from "../store/link-identity.server.ts";

/** The secrets of a sign-in at a provider. */
export interface ProviderFlow {
  state: string;
  nonce: string;
  providerVerifier: string;
}

/** A provider of identities: the two steps of OAuth's authorization code flow. */
export interface IdentityProvider {
  /**
   * Returns the URL to redirect the browser to.
   * @param extraParams allow-listed query parameters of the visitor's request to pass on
   */
  authorizationUrl(flow: ProviderFlow, extraParams: Record<string, string>): Promise<URL>;
  /**
   * Exchanges the parameters of the callback for an identity.
   * @throws ProviderError and errors of `openid-client` and `fetch`, if the provider is unavailable or its
   * response invalid
   */
  identify(callbackParams: URLSearchParams, flow: ProviderFlow): Promise<VerifiedIdentity>;
}

/** The provider's response is invalid. The message contains no secret. */
export class ProviderError extends Error {
  override name = "ProviderError";
}

/** The time limit for all requests to a provider in one step, in ms (docs/product.md §6.5). */
export const PROVIDER_TIMEOUT = 10_000;

/** The size limit of a provider's response, in bytes. */
const MAX_RESPONSE = 1_000_000;

/** `fetch`, except that reading a response body above the size limit fails with a ProviderError. */
export const fetchWithSizeLimit: CustomFetch = async (url, options) => {
  const requestBody = options.body instanceof Uint8Array ? new Uint8Array(options.body) : options.body;
  const { body, status, statusText, headers } = await fetch(url, { ...options, body: requestBody });
  let size = 0;
  const bounded = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > MAX_RESPONSE) controller.error(new ProviderError("The response is too large"));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status, statusText, headers });
};

/**
 * Whether a value looks like an e-mail address: text around one `@`, no white space, at most 320 characters.
 */
export function isEmail(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text.length <= 320 &&
    text.isWellFormed() &&
    /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text)
  );
}
