import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { writeRefreshToken } from "../../src/auth/refresh-token.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type AccountsSite, beginSignIn, call, signIn, startAccountsSite } from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed } from "../support/site.ts";

/** A request as it goes over the wire: the path and the query's pairs are encoded already. */
interface Draft {
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: Buffer | null;
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

const state = "s".repeat(43);
const code = "c".repeat(43);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let database: Database;
let world: AccountsSite;
let valid: Draft[];
let before: unknown;

beforeAll(async () => {
  database = await createTestDatabase();
  await pretendRefreshed(database.db);
  world = await startAccountsSite(database.url);
  const { origin } = world.site;
  const session = await signIn(origin, "google", { email: "wren@people.example" });
  const ended = await signIn(origin, "github", { email: "wren@people.example" });
  await call(origin, "/logout?scope=local", { token: ended.access_token });
  valid = validDrafts(session.refresh_token, session.access_token, ended.access_token);
  ({ stored: before } = await lookAndSweep());
});
afterAll(async () => {
  agent.destroy();
  await world.close();
  await database.close();
});
afterEach(async () => {
  expect((await call(world.site.origin, "/health")).status).toBe(200);
  const levels = world.site.log.map((line) => z.object({ level: z.number() }).parse(JSON.parse(line)).level);
  expect(levels.filter((level) => level >= 50)).toEqual([]);
});

/**
 * A request of each kind, all good but for what would change something: the code of the sign-in is not the provider's, the
 * verifier is another one, and whoever signs out has done so before. A refresh may succeed each time.
 */
function validDrafts(refreshToken: string, live: string, ended: string): Draft[] {
  const { origin } = world.site;
  const draft = (method: string, path: string, token?: string, body?: object): Draft => {
    const [pathname = "", search] = path.split("?");
    return {
      method,
      path: `/auth/v1${pathname}`,
      query: [...new URLSearchParams(search)].map(([name, value]) => [name, encodeURIComponent(value)]),
      headers: {
        apikey: "front-row-public",
        "X-Supabase-Api-Version": "2024-01-01",
        "Content-Type": "application/json;charset=UTF-8",
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: body ? Buffer.from(JSON.stringify(body)) : null,
    };
  };
  const authorize = (provider: string) =>
    beginSignIn(origin, provider, { redirect_to: `${origin}/?page=2`, prompt: "login", login_hint: "a@b.example" });
  return [
    ...["google", "github"].map((provider) => draft("GET", authorize(provider).url.slice(`${origin}/auth/v1`.length))),
    draft("GET", `/callback?${new URLSearchParams({ state, code: "wrong", iss: world.google.issuer })}`),
    draft("GET", `/callback?state=${state}&error=access_denied&error_description=No`),
    draft("POST", "/token?grant_type=pkce", undefined, { auth_code: code, code_verifier: "v".repeat(43) }),
    draft("POST", "/token?grant_type=refresh_token", undefined, { refresh_token: refreshToken }),
    draft("POST", "/token?grant_type=refresh_token", undefined, {
      refresh_token: writeRefreshToken(randomUUID(), 2n ** 64n - 1n, randomBytes(32)),
    }),
    draft("GET", "/user", live),
    draft("POST", "/logout?scope=local", ended),
    draft("GET", "/settings"),
    draft("GET", "/health"),
    draft("GET", "/.well-known/jwks.json"),
    draft("GET", "/nothing"),
  ];
}

const hash = (text: string) => createHash("sha256").update(text).digest();

/** A sign-in that may come back, and one that has come back. */
async function lay(): Promise<void> {
  await sql`with open as (
      insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at)
      values (${state}, 'google', 'x', ${`${world.site.origin}/?page=2`}, 'n', 'v', now() + interval '5 minutes')
      on conflict (state) do update set returned_at = null
    )
    insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at, code_hash, user_id)
    select 'returned', 'google', 'x', 'x', 'n', 'v', now() + interval '5 minutes', ${hash(code)}, id from users limit 1
    on conflict (state) do nothing`.execute(database.db);
}

/**
 * All that is stored about accounts, but for how often a session was refreshed; and the sign-ins that were begun, all of
 * which would lead back to the site. Those are taken away.
 */
async function lookAndSweep() {
  const { rows } = await sql<{ stored: unknown; begun: string[] }>`
    with begun as (delete from flows where state not in (${state}, 'returned') returning redirect_to)
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

function send({ method, path, query, headers, body }: Draft): Promise<Answer> {
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  const { hostname, port } = new URL(world.site.origin);
  const length = body === null ? {} : { "Content-Length": String(body.length) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { agent, hostname, port, method, path: search ? `${path}?${search}` : path, headers: { ...length, ...headers } },
      async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(parts).toString() });
      },
    );
    request.on("error", reject).end(body);
  });
}

/** Sends bytes as they are; answers all that came back. Whoever gets no answer gives up soon. */
function sendBytes(bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(world.site.origin);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(50, () => socket.end());
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(Buffer.concat(parts).toString("latin1")));
  });
}

const leaks =
  /\bat .+:\d+:\d+|node_modules|\.server\.ts|index\.js|\/(?:tmp|src|build|home)\/|select .+ from|insert into|"d":|(?:refresh|private)_key/i;

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
  // Node itself refuses an address and headers of more than 16 KB, without a word.
  if (status === 431) {
    expect(bytesOf({ ...draft, body: null }).length).toBeGreaterThan(15_000);
    expect(body).toBe("");
    return;
  }
  expect(body).not.toMatch(leaks);
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

/** What goes into an address: encoded, or broken. */
const queryText = fc.oneof(
  fc.constantFrom(
    ..."% %ff %00 %ED%A0%80 %C0%AF + & = # %0d%0aX:y [] __proto__ constructor null -1 1e999 * ' %27;drop".split(" "),
  ),
  fc.constantFrom("a".repeat(43), "a".repeat(6_000), state, code, encodeURIComponent("http://evil.example/")),
  fc.string({ unit: "binary" }).map(encodeURIComponent),
  fc.webQueryParameters(),
);

const base64url = (text: string) => Buffer.from(text).toString("base64url");

/** A part of a token: JSON, or broken. */
const tokenPart = fc.oneof(
  fc.json().map(base64url),
  fc
    .record(
      {
        alg: fc.constantFrom("none", "ES256", "HS256", 1),
        kid: fc.oneof(fc.string(), fc.jsonValue()),
        crit: fc.jsonValue(),
        b64: fc.boolean(),
      },
      { requiredKeys: ["alg"] },
    )
    .map((header) => base64url(JSON.stringify(header))),
  fc
    .record({ sub: fc.oneof(fc.uuid(), fc.jsonValue()), exp: fc.oneof(fc.integer(), fc.jsonValue()) })
    .map((claims) => base64url(JSON.stringify(claims))),
  fc.constantFrom("", "=", "A", "A".repeat(86), base64url("\ud800")),
);

/** What a header's value may be at all; everything else the sending side refuses. */
const headerText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "Bearer",
    "Bearer ",
    "bearer x",
    "Bearer a.b.c",
    "Basic YTpi",
    "Bearer x y",
    "null",
    "__proto__",
  ),
  fc.constantFrom(
    "2024-99-99",
    "9999-12-31",
    "2023-12-31",
    "2024-01-01, 2024-01-01",
    "é".repeat(50),
    "a".repeat(3_000),
  ),
  fc.constantFrom(
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "gzip",
    "http://evil.example",
  ),
  fc.tuple(tokenPart, tokenPart, tokenPart).map((parts) => `Bearer ${parts.join(".")}`),
  fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((byte) => String.fromCharCode(byte)) }),
);

const headerName = fc.constantFrom(
  "apikey",
  "Authorization",
  "X-Supabase-Api-Version",
  "Content-Type",
  "Accept",
  "Content-Encoding",
  "X-Forwarded-Host",
  "Forwarded",
  "Origin",
  "Cookie",
  "Range",
  "If-None-Match",
  "X-HTTP-Method-Override",
);

const jsonText = fc.oneof(
  fc.json(),
  fc.constantFrom(
    "",
    "[",
    "null",
    "1",
    '"x"',
    "{}",
    "[]",
    '{"refresh_token":',
    '{"refresh_token":"\\u0000"}',
    '{"__proto__":{"refresh_token":"x"}}',
    '\ufeff{"refresh_token":"x"}',
  ),
  fc.integer({ min: 1, max: 4_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.constantFrom(8_000, 8_192, 8_193, 100_000).map((size) => JSON.stringify({ refresh_token: "a".repeat(size) })),
);

type Change = (draft: Draft) => Draft;

function changing<T>(how: fc.Arbitrary<T>, apply: (draft: Draft, how: T) => Partial<Draft>): fc.Arbitrary<Change> {
  return how.map(
    (what): Change =>
      (draft) => ({ ...draft, ...apply(draft, what) }),
  );
}

const index = fc.nat(6);

const changeOfQuery = fc.oneof(
  changing(fc.tuple(index, queryText), ({ query }, [index, value]) => ({
    query: query.map(([name, old], at) => [name, at === index ? value : old]),
  })),
  changing(index, ({ query }, index) => ({ query: query.toSpliced(index, 1) })),
  changing(index, ({ query }, index) => ({ query: [...query, ...query.slice(index)] })),
  changing(fc.tuple(queryText, queryText), ({ query }, pair) => ({ query: [pair, ...query] })),
);

const changeOfHeaders = fc.oneof(
  changing(fc.tuple(headerName, headerText), ({ headers }, [name, value]) => ({
    headers: { ...headers, [name]: value },
  })),
  changing(headerName, ({ headers: { ...headers } }, name) => {
    delete headers[name];
    return { headers };
  }),
  changing(
    fc.tuple(fc.nat(2), tokenPart),
    ({ headers: { Authorization = "Bearer ..", ...headers } }, [index, part]) => ({
      headers: { ...headers, Authorization: Authorization.split(".").toSpliced(index, 1, part).join(".") },
    }),
  ),
);

const changeOfBody = fc.oneof(
  changing(jsonText, (_draft, json) => ({ body: Buffer.from(json) })),
  changing(fc.uint8Array({ maxLength: 300 }), (_draft, bytes) => ({ body: Buffer.from(bytes) })),
  changing(fc.nat(200), ({ body }, length) => ({ body: body?.subarray(0, length) ?? null })),
  // One of its longer texts is anything else.
  changing(fc.tuple(fc.nat(1), fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }))), ({ body }, [index, value]) => {
    let at = 0;
    const texts = /"[^"]{20,}"/g;
    return {
      body:
        body && Buffer.from(body.toString().replace(texts, (old) => (at++ === index ? JSON.stringify(value) : old))),
    };
  }),
);

const changeOfAddress = fc.oneof(
  changing(
    fc.constantFrom(
      "GET",
      "HEAD",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "OPTIONS",
      "TRACE",
      "PROPFIND",
      "QUERY",
      "M-SEARCH",
    ),
    (_draft, method) => ({ method }),
  ),
  changing(
    fc.constantFrom("/", "//", "/x", "%00", "%ff", "%", "%2f", ".json", ";x", "/*", "a".repeat(3_000)),
    ({ path }, tail) => ({ path: path + tail }),
  ),
);

const change = fc.oneof(
  { weight: 5, arbitrary: changeOfQuery },
  { weight: 5, arbitrary: changeOfHeaders },
  { weight: 5, arbitrary: changeOfBody },
  { weight: 1, arbitrary: changeOfAddress },
);

/** Requests that are like a good one but for a few things. */
function drafts(): fc.Arbitrary<Draft> {
  return fc
    .tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([draft, changes]) => changes.reduce((changed, apply) => apply(changed), draft));
}

test("whatever is changed in a request, the answer is one of the contract's, and nothing is stored", async () => {
  await fc.assert(
    fc.asyncProperty(drafts(), async (draft) => {
      await lay();
      const answer = await send(draft);
      isOfTheContract(draft, answer);
      const begun = leadsToProvider(answer) ? 1 : 0;
      expect(await lookAndSweep()).toEqual({ stored: before, begun });
    }),
    { numRuns: 2_500, interruptAfterTimeLimit: 40_000 },
  );
});

/** A request's bytes, the connection to be closed after it. */
function bytesOf({ method, path, query, headers, body }: Draft): Buffer {
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  const length = body ? { "Content-Length": String(body.length) } : {};
  const lines = Object.entries({ Host: "x", Connection: "close", ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.concat([
    Buffer.from([`${method} ${path}?${search} HTTP/1.1`, ...lines, "", ""].join("\r\n")),
    body ?? Buffer.alloc(0),
  ]);
}

/** Bytes of good requests, with some of them replaced by others, anywhere. */
function brokenBytes(): fc.Arbitrary<Uint8Array> {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        "\r\n",
        "\r\n\r\n",
        "\0",
        " ",
        ":",
        "%",
        "../",
        "//evil/",
        "Host: y\r\n",
        "Transfer-Encoding: chunked\r\n",
        "9",
        "-",
      )
      .map((words) => Buffer.from(words)),
  );
  const cut = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), piece });
  return fc
    .tuple(fc.constantFrom(...valid.map(bytesOf)), fc.array(cut, { minLength: 1, maxLength: 3 }))
    .map(([bytes, cuts]) =>
      cuts.reduce((changed, { at, length, piece }) => {
        const from = Math.floor(at * changed.length);
        return Buffer.concat([changed.subarray(0, from), piece, changed.subarray(from + length)]);
      }, bytes),
    );
}

test("whatever bytes come, the server answers no 500, tells nothing and stores nothing", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: brokenBytes() }, fc.uint8Array({ maxLength: 500 })),
      async (bytes) => {
        await lay();
        const answer = await sendBytes(bytes);
        expect(answer).not.toMatch(/^HTTP\/1\.1 5/m);
        expect(answer).not.toMatch(leaks);
        if (answer.startsWith("HTTP/1.1 ")) answered++;
        expect((await lookAndSweep()).stored).toEqual(before);
      },
    ),
    { numRuns: 1_000, interruptAfterTimeLimit: 40_000 },
  );
  // Who gives up before an answer comes has proved nothing.
  expect(answered).toBeGreaterThan(100);
});
