import { createHash, randomBytes } from "node:crypto";
import type { Person } from "./people.ts";

export interface Grant {
  person: Person;
  scopes: string[];
  redirectUri: string;
  /** S256, if the site sent one. */
  challenge: string | null;
}

export interface Codes {
  issue(grant: Grant): string;
  /** Null after ten minutes, or the second time. */
  redeem(code: string): Grant | null;
}

const CODE_TTL = 600_000;

export function createCodes(): Codes {
  const issued = new Map<string, { grant: Grant; at: number }>();
  return {
    issue(grant) {
      const code = randomBytes(10).toString("hex");
      issued.set(code, { grant, at: performance.now() });
      return code;
    },
    redeem(code) {
      const entry = issued.get(code);
      issued.delete(code);
      return entry && performance.now() - entry.at <= CODE_TTL ? entry.grant : null;
    },
  };
}

/** Without a challenge any verifier matches (RFC 7636, 4.6). */
export function isProven({ challenge }: Grant, verifier: string | null): boolean {
  return (
    challenge === null ||
    createHash("sha256")
      .update(verifier ?? "")
      .digest("base64url") === challenge
  );
}
