import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { Database } from "../../src/database/open.server.ts";
import { type AccountsSite, call, startAccountsSite } from "../support/accounts.ts";
import { authRequests, laySignIns, openState, returnedState } from "../support/fuzz/auth-requests.ts";
import { brokenBytes, sendBytes } from "../support/fuzz/bytes.ts";
import { spoiled } from "../support/fuzz/changes.ts";
import { expectToTellNothing } from "../support/fuzz/decent.ts";
import { type Answer, bytesOf, createSender, type Draft } from "../support/fuzz/request.ts";
import { rounds, whileThereIsTime } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed } from "../support/site.ts";

let database: Database;
let world: AccountsSite;
let sender: ReturnType<typeof createSender>;
let good: Draft[];
let before: unknown;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url);
  sender = createSender(world.site.origin, 1);
  good = await authRequests(world);
  ({ stored: before } = await lookAndSweep());
});
afterAll(async () => {
  sender.close();
  await world.close();
  await database.close();
});
afterEach(async () => {
  expect((await call(world.site.origin, "/health")).status).toBe(200);
  const isError = (line: string) => z.object({ level: z.number() }).parse(JSON.parse(line)).level >= 50;
  expect(world.site.log.filter(isError)).toEqual([]);
});

/**
 * All that is stored about accounts, but for how often a session was refreshed; and the sign-ins that were begun, all of
 * which would lead back to the site. Those are taken away.
 */
async function lookAndSweep() {
  const { rows } = await sql<{ stored: unknown; begun: string[] }>`
    with begun as (delete from flows where state not in (${openState}, ${returnedState}) returning redirect_to)
    select coalesce((select json_agg(redirect_to) from begun), '[]') as begun, json_build_object(
      'users', (select json_agg(to_json(users) order by id) from users),
      'identities', (select json_agg(to_json(identities) order by id) from identities),
      'sessions', (select json_agg(json_build_array(id, user_id, provider, refresh_key, created_at) order by id) from sessions),
      'keys', (select json_agg(to_json(signing_keys) order by kid) from signing_keys)
    ) as stored`.execute(database.db);
  const { stored, begun } = rows[0] ?? expect.fail();
  for (const home of begun) expect(new URL(home).origin).toBe(world.site.origin);
  return { stored, begun: begun.length };
}

const text = z.string().min(1);
const forms = {
  worded: z.strictObject({ code: text, message: text }),
  numbered: z.strictObject({ code: z.int(), error_code: text, msg: text }),
  success: z.union([
    z.strictObject({
      access_token: text,
      token_type: z.literal("bearer"),
      expires_in: z.int(),
      expires_at: z.int(),
      refresh_token: text,
      user: z.looseObject({ id: text }),
    }),
    z.looseObject({ aud: z.literal("authenticated"), identities: z.array(z.unknown()) }),
    z.strictObject({
      keys: z.array(z.strictObject({ kty: text, crv: text, x: text, y: text, kid: text, alg: text, use: text })),
    }),
    z.strictObject({ version: text, name: text, description: text }),
    z.looseObject({ external: z.record(z.string(), z.boolean()) }),
  ]),
};

const isKeys = ({ body }: Answer) => body.startsWith('{"keys":');

/** The answer is one of the contract's: a redirect to where one may lead, an error in the form asked for, or a success. */
function isOfTheContract(draft: Draft, answer: Answer): void {
  const { method } = draft;
  const { status, headers, body } = answer;
  expect(status).toBeLessThan(500);
  // Without a word are refused: an address and headers of more than 16 KB, and a host that is none.
  if (status === 431) expect(bytesOf({ ...draft, body: null }).length).toBeGreaterThan(15_000);
  if (body === "" && (status === 431 || (status === 400 && "Host" in draft.headers))) return;
  expectToTellNothing(body);
  if (status === 302 || status === 303) {
    const { origin, pathname } = new URL(String(headers.location));
    const places = [
      `${world.site.origin}/`,
      `${world.google.issuer}/auth`,
      `${world.github.url}/login/oauth/authorize`,
    ];
    expect(places).toContain(origin + pathname);
  } else if (status >= 400 && method !== "HEAD") {
    const form = headers["x-supabase-api-version"] ? forms.worded : forms.numbered;
    expect(form.safeParse(JSON.parse(body)).error).toBeUndefined();
  } else if (status !== 204 && method !== "HEAD") {
    expect(status).toBe(200);
    expect(forms.success.safeParse(JSON.parse(body)).error).toBeUndefined();
  }
  const forKeys = isKeys(answer) || (method === "HEAD" && status === 200);
  if (!forKeys) expect(headers["cache-control"]).toBe("no-store");
}

function leadsToProvider({ headers: { location = "" } }: Answer): boolean {
  return [world.google.issuer, world.github.url].some((url) => String(location).startsWith(`${url}/`));
}

/** Others are none of the protocol's. */
const isForProtocol = ({ path }: Draft) => URL.parse(`http://x${path}`)?.pathname.startsWith("/auth/v1/") === true;

test("whatever is changed in a request, the answer is one of the contract's, and nothing is stored", async () => {
  await fc.assert(
    fc.asyncProperty(
      spoiled(good).filter(isForProtocol),
      whileThereIsTime(async (draft) => {
        await laySignIns(database.db, world.site.origin);
        const answer = await sender.send(draft);
        isOfTheContract(draft, answer);
        const begun = leadsToProvider(answer) ? 1 : 0;
        expect(await lookAndSweep()).toEqual({ stored: before, begun });
      }),
    ),
    rounds(1_000),
  );
});

test("whatever bytes come, the server answers no 500, tells nothing and stores nothing", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      brokenBytes(good),
      whileThereIsTime(async (bytes) => {
        await laySignIns(database.db, world.site.origin);
        const answer = await sendBytes(world.site.origin, bytes);
        expect(answer).not.toMatch(/^HTTP\/1\.1 5/m);
        expectToTellNothing(answer);
        if (answer.startsWith("HTTP/1.1 ")) answered++;
        expect((await lookAndSweep()).stored).toEqual(before);
      }),
    ),
    rounds(250),
  );
  // Who gives up before an answer comes has proved nothing.
  expect(answered).toBeGreaterThan(20);
});
