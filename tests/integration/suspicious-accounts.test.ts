import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { findSuspiciousGroups } from "../../src/reviews/moderation/suspicious-accounts.server.ts";
import { plantRings } from "../support/planted-rings.ts";
import { createTestDatabase } from "../support/postgres.ts";

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test("finds planted rings and few honest accounts", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const planted = await plantRings(database.db, seed);
    const t = performance.now();
    const groups = await findSuspiciousGroups(database.db);
    const ms = performance.now() - t;
    const found = (grades: string[]) => new Set(groups.filter(({ grade }) => grades.includes(grade)).flatMap(({ accounts }) => accounts.map(({ id }) => id)));
    const total = [...planted.values()].filter(Boolean).length;
    for (const grades of [["likely"], ["likely", "possible"]]) {
      const ids = found(grades);
      const hits = [...ids].filter((id) => planted.get(id)).length;
      const kinds = Object.entries(Object.groupBy([...planted], ([, p]) => p ?? "honest")).map(([k, l = []]) => `${k} ${l.filter(([id]) => ids.has(id)).length}/${l.length}`);
      console.log(seed, grades.join("+"), "precision", (hits / ids.size).toFixed(2), "recall", (hits / total).toFixed(2), kinds.join(", "), ms.toFixed(0), "ms");
    }
    const signs = groups.filter((g) => g.grade === "likely" && g.accounts.some(({ id }) => !planted.get(id)));
    for (const s of signs) console.log("   ", s.sign, s.accounts.length, s.accounts.filter(({ id }) => planted.get(id)).length, s.reason.slice(0, 150));
  }
});
