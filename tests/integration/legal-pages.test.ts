import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  localStorageKeys,
  otherTables,
  personalTables,
  sessionStorageKeys,
} from "../../src/legal/stored-data.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { operatorSettings } from "../support/site.ts";

const database = await setUpDatabase();
/** A running server, so that the database has the job queue's tables too. */
const site = await setUpSite(database);

const read = async (path: string) => (await fetch(site.origin + path)).text();

/** Without the schema if that is `public`. */
async function existingTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select concat_ws('.', nullif(table_schema, 'public'), table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(
    database.db,
  );
  return rows.map(({ name }) => name).sort();
}

test("each table is in a category of the privacy page, or has nothing about people", async () => {
  const named = [...personalTables.flatMap(({ names }) => names), ...otherTables].sort();
  expect(await existingTables()).toEqual(named);
  const page = await read("/privacy");
  for (const { title } of [...personalTables, ...localStorageKeys, ...sessionStorageKeys])
    expect(page).toContain(`<dt>${title}</dt>`);
});

test("terms, privacy and the footer name the operator", async () => {
  const { OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_EMAIL } = operatorSettings;
  for (const path of ["/terms", "/privacy"]) {
    const page = await read(path);
    expect(page).toContain(`Front Row is run by ${OPERATOR_NAME}, ${OPERATOR_ADDRESS}.`);
    expect(page).not.toContain("demo");
  }
  for (const path of ["/", "/?search=nothing", "/auth", "/nowhere", "/terms", "/privacy"]) {
    const [, footer = ""] = (await read(path)).split("<footer");
    for (const link of [
      "/terms",
      "/privacy",
      `mailto:${OPERATOR_EMAIL}`,
      "https://api.edinburghfestivalcity.com",
    ])
      expect(footer, path).toContain(`href="${link}"`);
  }
});

test("without an operator the site says that it is a demo", async () => {
  const { get } = await createBuiltApp(database, { operator: null });
  for (const path of ["/", "/auth", "/nowhere"])
    expect(await (await get(path)).text(), path).toContain("This is a demo");
  for (const path of ["/terms", "/privacy"])
    expect(await (await get(path)).text(), path).toContain("This is a demo. Nobody runs it for the public");
});

test("terms and privacy have no scripts", async () => {
  for (const path of ["/terms", "/privacy"]) expect(await read(path)).not.toMatch(/<script|modulepreload/);
});
