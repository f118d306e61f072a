import { CompactEncrypt, compactDecrypt, errors } from "jose";
import { z } from "zod";
import { providers } from "../../domain/account.ts";
import { requireKey, type SigningKeys } from "./signing-keys.server.ts";

/** Enough time to create an account at the provider, or to find the second factor (docs/product.md §6.7). */
export const ATTEMPT_SECONDS = 900;

const attempt = z.object({
  /** Stored once the state is used, so that it works only once. */
  id: z.string(),
  provider: z.enum(providers),
  challenge: z.string(),
  redirectTo: z.string(),
  nonce: z.string(),
  /** PKCE of our own exchange with the provider. */
  providerVerifier: z.string(),
  /** In seconds. The provider must authenticate the user again if its last authentication is older. */
  maxAge: z.number().optional(),
});

export type SignInAttempt = z.infer<typeof attempt>;

const sealed = z.object({ ...attempt.shape, expiresAt: z.number() });

export type SignInAttempts = ReturnType<typeof createSignInAttempts>;

/**
 * The OAuth state is the sealed attempt: a JWE under a key that all instances derive from the newest signing
 * key. Nothing is stored before the callback, so attempts that only start evict none.
 */
export function createSignInAttempts(keys: SigningKeys, now: () => number = Date.now) {
  return {
    async seal(attempt: SignInAttempt): Promise<string> {
      const { kid, stateKey } = await keys.signer();
      const text = JSON.stringify({ ...attempt, expiresAt: now() + ATTEMPT_SECONDS * 1000 });
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
        .encrypt(stateKey);
    },
    /** Null if it has expired, or no instance of this site has sealed it. */
    async open(state: string): Promise<SignInAttempt | null> {
      try {
        const findKey = async ({ kid }: { kid?: string }) => (await requireKey(keys, kid)).stateKey;
        const { plaintext } = await compactDecrypt(state, findKey, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        // Another version of the site may have sealed it.
        const { data } = sealed.safeParse(JSON.parse(new TextDecoder().decode(plaintext)));
        if (!data || data.expiresAt <= now()) return null;
        const { expiresAt: _, ...attempt } = data;
        return attempt;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
