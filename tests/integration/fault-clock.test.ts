import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  readSession,
  refreshTokens,
  type SessionResponse,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { startBackgroundReads } from "../support/background-reads.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";

const HOUR = 3_600_000;

let database: Database;
let accountsSite: AccountsSite;
/** A server whose clock the test sets, and one whose clock is right. */
let site: Site;
let other: Site;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, 45) n`.execute(database.db);
  folder = await mkdtemp(path.join(tmpdir(), "front-row-clock-"));
  await setClock(0);
  const clock = new URL("../support/fake-clock.ts", import.meta.url).href;
  accountsSite = await startAccountsSite(database.url, { NODE_OPTIONS: `--import=${clock}`, CLOCK_FILE: clockFile() });
  site = accountsSite.site;
  other = await startSite({ ...accountsSite.variables, DATABASE_URL: database.url });
});
afterAll(async () => {
  await other.stop();
  await accountsSite.close();
  await rm(folder, { recursive: true });
  await database.close();
});

const clockFile = () => path.join(folder, "clock");

/** Puts the server's clock so many ms ahead, or back. */
async function setClock(ahead: number): Promise<void> {
  await writeFile(`${clockFile()}.new`, String(ahead));
  await rename(`${clockFile()}.new`, clockFile());
}

const newcomer = () => ({ email: `${crypto.randomUUID()}@people.example` });

/** Sends a review as the page does, which renews its token once where the server refuses it. */
async function review(session: SessionResponse, to: Site): Promise<{ status: number; session: SessionResponse }> {
  const write = ({ access_token: token, user: { id } }: SessionResponse) =>
    sendReview(
      to.origin,
      { id, token },
      { show_id: "show-1", audience_interaction: "yes", notes: crypto.randomUUID() },
    );
  const answer = await write(session);
  if (answer.status !== 401) return { status: answer.status, session };
  const renewed = await readSession(await refreshTokens(to.origin, session.refresh_token));
  return { status: (await write(renewed)).status, session: renewed };
}

test.each([
  ["back by an hour", -HOUR],
  ["forward by a day", 24 * HOUR],
])(
  "a clock that is set %s, and right again later: sessions stay, people sign in and write on every server, keys stay",
  async (_name, ahead) => {
    const kids = () => database.db.selectFrom("signing_keys").select("kid").execute();
    const before = await kids();
    const sessions = () => database.db.selectFrom("sessions").select("id").execute();
    let session = await signIn(site.origin, "github", newcomer());
    const browsing = startBackgroundReads(site);
    const everywhere = async () => {
      for (const to of [site, other]) {
        const written = await review(session, to);
        expect(written.status).toBe(200);
        session = written.session;
      }
    };
    await setClock(ahead);
    await everywhere();
    const meanwhile = await signIn(site.origin, "github", newcomer());
    expect(meanwhile.expires_at * 1000 - Date.now() - ahead).toBeGreaterThan(HOUR / 2);
    expect(meanwhile.expires_at * 1000 - Date.now() - ahead).toBeLessThan(2 * HOUR);
    const count = (await sessions()).length;
    await setClock(0);
    await everywhere();
    session = meanwhile;
    await everywhere();
    expect((await sessions()).length).toBe(count);
    expect(await kids()).toEqual(before);
    expect((await browsing.stop()).failures).toEqual([]);
  },
);

test("somebody who has written too much before a clock was ahead waits no longer than before", async () => {
  await setClock(24 * HOUR);
  const session = await signIn(site.origin, "github", newcomer());
  let last: Response | undefined;
  for (let write = 0; write < 7; write++) last = await eagerly(session);
  expect(last?.status).toBe(429);
  await setClock(0);
  const { access_token } = await readSession(await refreshTokens(site.origin, session.refresh_token));
  expect((await eagerly({ ...session, access_token })).status).toBe(200);
});

function eagerly({ access_token: token, user: { id } }: SessionResponse): Promise<Response> {
  const review = { show_id: "show-2", audience_interaction: "no", notes: crypto.randomUUID() };
  return sendReview(site.origin, { id, token }, review);
}
