import type { CustomFetch } from "openid-client";
import type { VerifiedIdentity } from "../store/link-identity.server.ts";

/** What a sign-in carries to the provider and back. */
export interface ProviderFlow {
  state: string;
  nonce: string;
  providerVerifier: string;
}

/** Who vouches for people: the two steps of an authorization code flow. */
export interface IdentityProvider {
  /**
   * Where to send the browser.
   * @param wishes parameters of the visitor's, of an allow-list, to pass on
   */
  authorizationUrl(flow: ProviderFlow, wishes: Record<string, string>): Promise<URL>;
  /** Who came back. Rejects when the provider cannot be asked or its answers cannot be believed. */
  identify(returned: URLSearchParams, flow: ProviderFlow): Promise<VerifiedIdentity>;
}

/** The provider's answer cannot be believed; the message tells no secret. */
export class ProviderError extends Error {
  override name = "ProviderError";
}

/** How long a provider may take for all that is asked in one step, in ms (the auth protocol: 10 s). */
export const PROVIDER_TIMEOUT = 10_000;

/** More bytes than any answer of a provider has. */
const LARGEST_ANSWER = 1_000_000;

/** `fetch`, with an answer that ends with an error where it is too large. */
export const fetchWithSizeLimit: CustomFetch = async (url, options) => {
  const sent = options.body instanceof Uint8Array ? new Uint8Array(options.body) : options.body;
  const { body, status, statusText, headers } = await fetch(url, { ...options, body: sent });
  let size = 0;
  const bounded = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > LARGEST_ANSWER) controller.error(new ProviderError("The answer is too large"));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status, statusText, headers });
};

/** An e-mail address as far as we need to understand it. */
export function isEmail(text: unknown): text is string {
  return (
    typeof text === "string" && text.length <= 320 && text.isWellFormed() && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text)
  );
}
