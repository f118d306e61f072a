import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { keyFinder, type SigningKeys } from "./signing-keys.server.ts";

/** How long a link to a report is valid, in seconds (docs/product.md §13.22). */
const LIFETIME_SECONDS = 48 * 3600;

/** Audience and type differ from those of access tokens, so that neither passes for the other. */
const AUDIENCE = "moderation";
const TYPE = "moderation+jwt";

const claims = z.object({ sub: z.string(), jti: z.uuid() });

/** What a token is for: one decision on one report. */
interface ModerationLink {
  /** Differs for each token, which can be used once. */
  linkId: string;
  reportId: string;
}

/** Issues and verifies the tokens of links to reports: JWTs signed with ES256. */
export interface ModerationTokens {
  issue(reportId: string): Promise<string>;
  /** `expired` if the token was valid once; null if it never was. */
  verify(token: string): Promise<ModerationLink | "expired" | null>;
}

/** @param issuer the `iss` claim: scheme, host and port that visitors use */
export function createModerationTokens(keys: SigningKeys, issuer: string): ModerationTokens {
  const findKey = keyFinder(keys);
  return {
    async issue(reportId) {
      const { kid, key } = await keys.signer();
      return new SignJWT()
        .setProtectedHeader({ alg: "ES256", kid, typ: TYPE })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(reportId)
        .setJti(crypto.randomUUID())
        .setExpirationTime(Math.floor(Date.now() / 1000) + LIFETIME_SECONDS)
        .sign(key);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, findKey, {
          algorithms: ["ES256"],
          typ: TYPE,
          issuer,
          audience: AUDIENCE,
          requiredClaims: ["exp"],
        });
        const { success, data } = claims.safeParse(payload);
        return success ? { reportId: data.sub, linkId: data.jti } : null;
      } catch (error) {
        // After the signature and all other claims were right.
        if (error instanceof errors.JWTExpired) return "expired";
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
