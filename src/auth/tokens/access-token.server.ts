import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { SessionClaims, Provider } from "../session.ts";
import type { SigningKeys } from "./signing-keys.server.ts";

/** How long an access token is good for, in seconds. The browser refreshes it when less than two minutes remain. */
export const ACCESS_TOKEN_SECONDS = 3600;

/** How far the clocks of two machines may be apart, in seconds. */
const LEEWAY_SECONDS = 60;

const AUDIENCE = "authenticated";

const claims = z.object({ sub: z.uuid(), session_id: z.uuid() });

export interface TokenSubject {
  id: string;
  email: string;
  sessionId: string;
  /** The provider of this session, and all that the user has. */
  provider: Provider;
  app_metadata: object;
  user_metadata: object;
  /** When the session began. */
  signedInAt: Date;
}

/** Writes a new token; answers it and when it expires, in seconds since 1970. */
export type IssueAccessToken = (subject: TokenSubject) => Promise<{ token: string; expiresAt: number }>;

/** Access tokens: JSON Web Tokens, ES256, of the issuer. */
export interface AccessTokens {
  /** Finds the key that signs now. Before a transaction, that is: the key may have to be read from the database. */
  issuer(): Promise<IssueAccessToken>;
  /** Whom a token names, and in which session; null when it is not one of ours or not good any more. */
  read(token: string): Promise<SessionClaims | null>;
}

export function createAccessTokens(keys: SigningKeys, issuer: string, now: () => number = Date.now): AccessTokens {
  const findKey = async ({ kid }: JWTHeaderParameters) => {
    const key = kid && (await keys.find(kid));
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  };

  /** @throws JOSEError */
  async function verify(token: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, findKey, {
      algorithms: ["ES256"],
      issuer,
      audience: AUDIENCE,
      clockTolerance: LEEWAY_SECONDS,
      maxTokenAge: ACCESS_TOKEN_SECONDS,
      requiredClaims: ["exp"],
      currentDate: new Date(now()),
    });
    return payload;
  }

  return {
    async issuer() {
      const { kid, key } = await keys.signer();
      return async function issue(subject) {
        const issuedAt = Math.floor(now() / 1000);
        const expiresAt = issuedAt + ACCESS_TOKEN_SECONDS;
        const token = await new SignJWT(payloadOf(subject))
          .setProtectedHeader({ alg: "ES256", kid, typ: "JWT" })
          .setIssuer(issuer)
          .setSubject(subject.id)
          .setAudience(AUDIENCE)
          .setIssuedAt(issuedAt)
          .setExpirationTime(expiresAt)
          .sign(key);
        return { token, expiresAt };
      };
    },
    async read(token) {
      try {
        const { success, data } = claims.safeParse(await verify(token));
        return success ? { userId: data.sub, sessionId: data.session_id } : null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

function payloadOf({ email, sessionId, provider, app_metadata, user_metadata, signedInAt }: TokenSubject) {
  return {
    email,
    role: AUDIENCE,
    session_id: sessionId,
    app_metadata,
    user_metadata,
    aal: "aal1",
    amr: [{ method: "oauth", provider, timestamp: Math.floor(signedInAt.getTime() / 1000) }],
  };
}
