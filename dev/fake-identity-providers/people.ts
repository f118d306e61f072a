import { createHash } from "node:crypto";

export interface Person {
  email: string;
  /** Whether the provider verified the e-mail. */
  verified: boolean;
}

/** The page offers them as buttons. */
export const inventedPeople: readonly (Person & { name: string })[] = [
  { name: "Isla Fraser", email: "isla.fraser@visitors.example", verified: true },
  { name: "Hamish Boyd", email: "hamish.boyd@visitors.example", verified: true },
  { name: "Noor Malik", email: "noor.malik@visitors.example", verified: true },
  { name: "Morag Sinclair", email: "morag.sinclair@visitors.example", verified: false },
];

/** From 0 to 2^48 - 1. Ignores case, is stable across restarts, and differs between providers. */
export function accountNumber(provider: string, email: string): number {
  return createHash("sha256").update(`${provider} ${email.toLowerCase()}`).digest().readUIntBE(0, 6);
}
