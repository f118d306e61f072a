import { createHash } from "node:crypto";

/** Who somebody says they are at a provider. */
export interface Person {
  email: string;
  /** Whether the provider knows that the address is theirs. */
  verified: boolean;
}

/** People to be at a press of a button; they exist nowhere. */
export const inventedPeople: readonly (Person & { name: string })[] = [
  { name: "Isla Fraser", email: "isla.fraser@visitors.example", verified: true },
  { name: "Hamish Boyd", email: "hamish.boyd@visitors.example", verified: true },
  { name: "Noor Malik", email: "noor.malik@visitors.example", verified: true },
  { name: "Morag Sinclair", email: "morag.sinclair@visitors.example", verified: false },
];

/**
 * The number of somebody's account at a provider, from 0 to 2^48 - 1: the same for the same e-mail in whatever case, today
 * and after a restart, and another one at another provider.
 */
export function accountNumber(provider: string, email: string): number {
  return createHash("sha256").update(`${provider} ${email.toLowerCase()}`).digest().readUIntBE(0, 6);
}
