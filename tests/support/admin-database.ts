import { beforeEach } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { runAdmin, runAdminProcess } from "./admin.ts";
import { givenNone } from "./given.ts";
import { type Programme, replaceProgramme } from "./programme.ts";
import { setUpDatabase } from "./set-up.ts";

/** Each test starts with listed shows of these titles, these reviews by eight users, and an empty audit log. */
export async function setUpAdminDatabase(titles: readonly string[], reviews: Programme["reviews"]) {
  const database = await setUpDatabase();
  beforeEach(async () => {
    const show = { artist: null, venue_name: null, listed: true, year: YEAR, status: "active" } as const;
    await replaceProgramme(database.db, { shows: titles.map((title) => ({ ...show, title })), reviews });
    await givenNone(database.db, "audit");
  });

  return {
    db: () => database.db,
    run: (...args: string[]) => runAdmin(database, args),
    runProcess: (args: readonly string[], input = "") => runAdminProcess(database, args, input),
  };
}
