import { createHash } from "node:crypto";

/** The person who signs in, by their own account. */
export interface Person {
  email: string;
  /** Whether the provider has verified the address. */
  verified: boolean;
}

/** Invented people whom the page offers as buttons. */
export const inventedPeople: readonly (Person & { name: string })[] = [
  { name: "Isla Fraser", email: "isla.fraser@visitors.example", verified: true },
  { name: "Hamish Boyd", email: "hamish.boyd@visitors.example", verified: true },
  { name: "Noor Malik", email: "noor.malik@visitors.example", verified: true },
  { name: "Morag Sinclair", email: "morag.sinclair@visitors.example", verified: false },
];

/**
 * The account number of an e-mail address at a provider, from 0 to 2^48 - 1. It ignores case, survives
 * restarts, and differs between providers.
 */
export function accountNumber(provider: string, email: string): number {
  return createHash("sha256").update(`${provider} ${email.toLowerCase()}`).digest().readUIntBE(0, 6);
}
