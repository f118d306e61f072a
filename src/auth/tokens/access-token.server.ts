import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Provider, SessionClaims } from "../../domain/account.ts";
import { requireKey, type SigningKeys } from "./signing-keys.server.ts";

export const ACCESS_TOKEN_SECONDS = 3600;

/** The clock skew between two machines. */
const LEEWAY_SECONDS = 60;

const AUDIENCE = "authenticated";

const claims = z.object({ sub: z.uuid(), session_id: z.uuid() });

/** Signs a new token. Returns its part of the protocol's response, with times in seconds. */
export type IssueAccessToken = (
  user: { id: string; email: string; app_metadata: object; user_metadata: object },
  session: { id: string; provider: Provider; created_at: Date },
) => Promise<{ access_token: string; token_type: "bearer"; expires_in: number; expires_at: number }>;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export function createAccessTokens(keys: SigningKeys, issuer: string, now: () => number = Date.now) {
  /** Null unless one of the keys has signed the token and all claims except the expiry are valid. */
  async function readToken(token: string) {
    const findKey = async ({ kid }: { kid?: string }) => (await requireKey(keys, kid)).publicKey;
    const options = {
      algorithms: ["ES256"],
      requiredClaims: ["exp"],
      issuer,
      audience: AUDIENCE,
      clockTolerance: LEEWAY_SECONDS,
      maxTokenAge: ACCESS_TOKEN_SECONDS,
      currentDate: new Date(now()),
    };
    const verified = await jwtVerify(token, findKey, options).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) return error;
      throw error;
    });
    // jose checks the expiry last: signature and other claims are valid.
    const expired = verified instanceof errors.JWTExpired;
    if (verified instanceof Error && !expired) return null;
    const { data } = claims.safeParse(verified.payload);
    return data ? { ...data, expired } : null;
  }

  return {
    /** Call it before a transaction starts: it may read the key on another connection. */
    async issuer(): Promise<IssueAccessToken> {
      const { kid, privateKey } = await keys.signer();
      return async function issue(user, session) {
        const issuedAt = Math.floor(now() / 1000);
        const expires_at = issuedAt + ACCESS_TOKEN_SECONDS;
        const signedInAt = Math.floor(session.created_at.getTime() / 1000);
        const access_token = await new SignJWT({
          email: user.email,
          role: AUDIENCE,
          session_id: session.id,
          app_metadata: user.app_metadata,
          user_metadata: user.user_metadata,
          aal: "aal1",
          amr: [{ method: "oauth", provider: session.provider, timestamp: signedInAt }],
        })
          .setProtectedHeader({ alg: "ES256", kid, typ: "JWT" })
          .setIssuer(issuer)
          .setSubject(user.id)
          .setAudience(AUDIENCE)
          .setIssuedAt(issuedAt)
          .setExpirationTime(expires_at)
          .sign(privateKey);
        return { access_token, token_type: "bearer", expires_in: ACCESS_TOKEN_SECONDS, expires_at };
      };
    },
    async verify(token: string): Promise<SessionClaims | null> {
      const read = await readToken(token);
      return read && !read.expired ? { userId: read.sub, sessionId: read.session_id } : null;
    },
    /** The user's id, also from an expired token; null if the token is invalid. */
    async findOwner(token: string): Promise<string | null> {
      return (await readToken(token))?.sub ?? null;
    },
  };
}
