import { createHash, randomBytes } from "node:crypto";
import type { Person } from "./people.ts";

/** What a code was given out for. */
export interface Grant {
  person: Person;
  scopes: string[];
  redirectUri: string;
  /** The S256 challenge of PKCE, where the site gave one. */
  challenge: string | null;
}

/** The codes that a provider has given out. */
export interface Codes {
  issue(grant: Grant): string;
  /** What the code stands for, once and for ten minutes at most; null for any other. */
  redeem(code: string): Grant | null;
}

const tenMinutes = 600_000;

export function createCodes(now: () => Date): Codes {
  const issued = new Map<string, { grant: Grant; at: number }>();
  return {
    issue(grant) {
      const code = randomBytes(10).toString("hex");
      issued.set(code, { grant, at: now().getTime() });
      return code;
    },
    redeem(code) {
      const found = issued.get(code);
      issued.delete(code);
      return found && now().getTime() - found.at <= tenMinutes ? found.grant : null;
    },
  };
}

/** Whether the verifier is the one that the challenge was made of; without a challenge any will do (RFC 7636, 4.6). */
export function isProven({ challenge }: Grant, verifier: string | null): boolean {
  return (
    challenge === null ||
    createHash("sha256")
      .update(verifier ?? "")
      .digest("base64url") === challenge
  );
}
