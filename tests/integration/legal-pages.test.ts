import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  cacheNames,
  localStorageKeys,
  personalTables,
  sessionStorageKeys,
} from "../../src/legal/stored-data.ts";
import { rateLimits } from "../../src/server/rate-limits.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { operatorSettings } from "../support/site.ts";

const database = await setUpDatabase();
/** A running server, so that the database also has the job queue's tables. */
const site = await setUpSite(database);
const { OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_EMAIL } = operatorSettings;

const read = async (path: string) => (await fetch(site.origin + path)).text();
const source = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

test("each table is in a category of the privacy page, or has no personal data", async () => {
  const { rows } = await sql<{ name: string }>`
    select concat_ws('.', nullif(table_schema, 'public'), table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(
    database.db,
  );
  const tables = rows.map(({ name }) => name);
  expect(tables).toEqual(expect.arrayContaining(personalTables.flatMap(({ names }) => names)));
  // The operator's page also names those without personal data.
  const operatorsPage = source("docs/privacy.md");
  expect(tables.filter((name) => !operatorsPage.includes(`\`${name}\``))).toEqual([]);
  const page = await read("/privacy");
  for (const { title } of [...personalTables, ...localStorageKeys, ...sessionStorageKeys, ...cacheNames])
    expect(page).toContain(`<dt>${title}</dt>`);
});

/** The visitors' statement (`#`: a number), the operator's, the file with the number, its pattern, a divisor. */
const statements: [string, string | null, string, RegExp, number?][] = [
  ["not used it for # days", null, "src/auth/store/sessions-table.server.ts", /IDLE_LIMIT = sql`interval '(\d+) d/],
  ["until # days after you signed in", null, "src/auth/store/sessions-table.server.ts", /MAX_AGE = sql`interval '(\d+) d/],
  ["more than #, the one", null, "src/auth/store/sessions-table.server.ts", /MAX_SESSIONS = (\d+)/],
  ["is accepted for # hours", "is accepted for # hours", "src/auth/store/sessions-table.server.ts", /PREVIOUS_TOKEN_SECONDS = ([\d_]+)/, 3_600],
  ["that is good for # minutes", "is good for # minutes", "src/auth/store/sign-ins-table.server.ts", /CODE_SECONDS = (\d+)/, 60],
  ["# hour or so", "deleted # hour after", "src/auth/store/sign-ins-table.server.ts", /returned_at < now\(\) - interval '(\d+) hour'/],
  ["until # days after the decision", null, "src/moderation/store/review-cleanup.server.ts", /REPORT_DAYS = (\d+)/],
  ["until # days after it was deleted", "*Until* # days later", "src/reviews/store/reviews-table.server.ts", /FIRST_TIME_DAYS = (\d+)/],
  ["until # days after it was deleted", "*Until* # days later", "src/auth/store/manage-users.server.ts", /deleted_at < now\(\) - interval '(\d+) d/],
  ["until # days after the account was deleted", null, "src/auth/store/manage-users.server.ts", /deleted_at < now\(\) - interval '(\d+) d/],
  ["named above: for # days", "stays for # days", "src/auth/store/manage-users.server.ts", /deleted_at < now\(\) - interval '(\d+) d/],
  ["until # days after we removed it", "# days after it was removed", "src/reviews/store/moderate-review.server.ts", /REMOVED_DAYS = (\d+)/],
  ["until # days after the link ended", "*Until* # days after its end", "src/moderation/store/queue-links.server.ts", /ENDED_DAYS = (\d+)/],
  ["When # people who are signed in", "# signed-in reporters", "src/moderation/store/reports-table.server.ts", /REPORTERS_TO_HIDE = (\d+)/],
  ["# years.", "deleted # years later", "src/database/audit-log.server.ts", /AUDIT_YEARS = (\d+)/],
  ["are deleted after # days", "are deleted after # days by their own", "docs/operations/backup-and-restore.md", /-mmin \+(\d+)/, 1_440],
  ["are deleted after # days", "by you after # days", "docs/operations/backup-and-restore.md", /-mmin \+(\d+)/, 1_440],
  ["for # hour at most", "# hour at most", "src/moderation/api/reports-api.server.ts", / REMEMBERED = ([\d_]+)/, 3_600_000],
  ["deleted in the last # days", "deletions of the last # days", "src/database/audit-log.server.ts", /interval '(\d+) days'/],
  ["and is deleted after # days", "deletes them after # days", "deploy/journald.conf", /MaxRetentionSec=(\d+)day/],
]; // biome-ignore format: a table of statements

const words = ["", "(?:an?|one)", "two", "three", "four", "five"];

test("numbers on the privacy page and the operator's page are those of the code", async () => {
  const visible = (await read("/privacy")).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const forOperators = source("docs/privacy.md").replaceAll(/\s+/g, " ");
  const allFound: string[] = [];
  for (const [statement, operators, file, constant, unit] of statements) {
    const number = Number(constant.exec(source(file))?.[1]?.replaceAll("_", "")) / (unit ?? 1);
    const said = `(?:${number}|${words[number] ?? number})`;
    const patternOf = (text: string) => new RegExp(text.split("#").map(RegExp.escape).join(said), "gi");
    const found = visible.match(patternOf(statement));
    expect(found, `${statement}: ${number}`).not.toBeNull();
    allFound.push(...(found ?? []));
    if (operators) expect(forOperators, `${operators}: ${number}`).toMatch(patternOf(operators));
  }
  expect(Math.max(...Object.values(rateLimits).map(({ seconds }) => seconds))).toBeLessThanOrEqual(3_600);
  // The law's own times, and approximations: minutes of a sign-in, windows of the write limits.
  const others =
    /within a month|within 30 days|an hour longer|about a day|for a day or so|last minute, hour and day/g;
  const rest = allFound.reduce((text, part) => text.replaceAll(part, ""), visible).replaceAll(others, "");
  expect(rest.match(/\b(\d+|an?|one|two|three) (second|minute|hour|day|month|year)s?\b/g) ?? []).toEqual([]);
});

test("terms, privacy and the footer name the operator", async () => {
  for (const path of ["/terms", "/privacy"]) {
    const page = await read(path);
    expect(page).toContain(`Front Row is run by ${OPERATOR_NAME}, ${OPERATOR_ADDRESS}.`);
    expect(page).not.toMatch(/demo|<script|modulepreload/);
  }
  expect(await read("/terms")).toMatch(/<h2 [^>]*id="companies"/);
  const links = [
    "/terms",
    "/privacy",
    "/terms#companies",
    "/auth",
    `mailto:${OPERATOR_EMAIL}`,
    "https://api.edinburghfestivalcity.com",
  ];
  for (const path of ["/", "/?search=nothing", "/auth", "/nowhere", "/terms", "/privacy"]) {
    const [, footer = ""] = (await read(path)).split("<footer");
    for (const link of links) expect(footer, path).toContain(`href="${link}"`);
  }
});

test("security.txt names the operator's e-mail, and expires in a year (docs/product.md §12.7)", async () => {
  const address = `${site.origin}/.well-known/security.txt`;
  const response = await fetch(address);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8$/i);
  const lines = (await response.text()).trimEnd().split("\n").sort();
  const [, , expires = ""] = lines;
  const contact = `Contact: mailto:${OPERATOR_EMAIL}`;
  expect(lines).toEqual([`Canonical: ${address}`, contact, expires, "Preferred-Languages: en"]);
  const time = z.iso.datetime().parse(expires.replace("Expires: ", ""));
  expect((Date.parse(time) - Date.now()) / 86_400_000).toBeCloseTo(365, 1);
});

test("without an operator the site says that it is a demo, and has no security.txt", async () => {
  const { get } = await createBuiltApp(database, { operator: null });
  for (const path of ["/", "/auth", "/nowhere"])
    expect(await (await get(path)).text(), path).toContain("This is a demo");
  for (const path of ["/terms", "/privacy"])
    expect(await (await get(path)).text(), path).toContain("This is a demo. Nobody runs it for the public");
  expect((await get("/.well-known/security.txt")).status).toBe(404);
});
