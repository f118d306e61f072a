import { SignJWT } from "jose";
import { z } from "zod";
import { type SigningKeys, verifyJwt } from "./signing-keys.server.ts";

const LIFETIME_SECONDS = 48 * 3600;

/** Audience and type differ from those of access tokens, so that neither passes for the other. */
const AUDIENCE = "moderation";
const TYPE = "moderation+jwt";

const claims = z.object({ sub: z.string(), jti: z.uuid() });

export function createModerationTokens(keys: SigningKeys, issuer: string) {
  return {
    async issue(reportId: string): Promise<string> {
      const { kid, privateKey } = await keys.signer();
      return new SignJWT()
        .setProtectedHeader({ alg: "ES256", kid, typ: TYPE })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(reportId)
        .setJti(crypto.randomUUID())
        .setExpirationTime(Math.floor(Date.now() / 1000) + LIFETIME_SECONDS)
        .sign(privateKey);
    },
    /** `expired` if the token was valid once; null if it never was. Each `linkId` can be used once. */
    async verify(token: string) {
      const verified = await verifyJwt(keys, token, { typ: TYPE, issuer, audience: AUDIENCE });
      const { data } = claims.safeParse(verified?.payload);
      if (!data) return null;
      return verified?.expired ? "expired" : { reportId: data.sub, linkId: data.jti };
    },
  };
}
