import { createHash } from "node:crypto";
import {
  CompactSign,
  decodeJwt,
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  UnsecuredJWT,
} from "jose";
import type { IdentityFaults } from "./faults.ts";

/** The provider's library needs the private key as a JWK. */
export interface SigningKey extends GenerateKeyPairResult {
  jwk: JWK & { kid: string };
}

const alg = "RS256";

export async function createSigningKey(): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return {
    ...pair,
    jwk: { ...(await exportJWK(pair.privateKey)), kid: crypto.randomUUID(), alg, use: "sig" },
  };
}

/**
 * Signs an ID token again, with the faults and with an `at_hash` claim, which Google also sends in the code flow
 * (OpenID Connect Core 3.1.3.6).
 */
export async function signAgain(
  idToken: string,
  { accessToken, key, faults }: { accessToken: string; key: SigningKey; faults: IdentityFaults },
): Promise<string> {
  const claims = faults.tamper({ ...decodeJwt(idToken), at_hash: halfHash(accessToken) });
  switch (faults.signWith) {
    case "right key":
      return sign(claims, alg, key.jwk.kid, key.privateKey);
    case "wrong key":
      return sign(claims, alg, key.jwk.kid, (await generateKeyPair(alg)).privateKey);
    case "HS256":
      return sign(claims, "HS256", key.jwk.kid, new TextEncoder().encode(await exportSPKI(key.publicKey)));
    case "none":
      return new UnsecuredJWT(claims).encode();
  }
}

function halfHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}

/** Without validating them. */
function sign(claims: object, alg: string, kid: string, key: CryptoKey | Uint8Array): Promise<string> {
  const payload = new TextEncoder().encode(JSON.stringify(claims));
  return new CompactSign(payload).setProtectedHeader({ alg, kid, typ: "JWT" }).sign(key);
}
