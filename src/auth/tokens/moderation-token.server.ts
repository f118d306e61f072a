import { z } from "zod";
import { type SigningKeys, verifyJwt } from "./signing-keys.server.ts";

const claims = z.object({ sub: z.string() });

/**
 * The report of a signed link: messages of versions before 1.0.0 have them, valid for 48 hours. Null for any other
 * token. Audience and type differ from those of access tokens, so that neither passes for the other.
 */
export async function findSignedReport(keys: SigningKeys, issuer: string, token: string) {
  const verified = await verifyJwt(keys, token, { typ: "moderation+jwt", issuer, audience: "moderation" });
  const { data } = claims.safeParse(verified?.payload);
  return data && verified ? { reportId: data.sub, hasEnded: verified.expired } : null;
}
