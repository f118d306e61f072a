import type { Random } from "../fake-festival-api/random.ts";
import { firstNames, surnames } from "../fake-festival-api/words/people.ts";

export interface Person {
  id: string;
  email: string;
}

/** With distinct e-mail addresses under a reserved domain. */
export function inventPeople(count: number, random: Random): Person[] {
  const people = new Map<string, Person>();
  while (people.size < count) {
    const name = `${plain(random.pick(firstNames))}.${plain(random.pick(surnames))}`;
    const email = `${name}${random.chance(0.2) ? random.int(60, 99) : ""}@people.example`;
    if (!people.has(email)) people.set(email, { id: inventUuid(random), email });
  }
  return [...people.values()];
}

function plain(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
}

function inventUuid(random: Random): string {
  return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replace(/[xy]/g, (digit) =>
    (digit === "x" ? random.int(0, 15) : random.int(8, 11)).toString(16),
  );
}
