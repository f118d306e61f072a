import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { type FakeIdentityProviders, startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { callAuth, readSession, refreshTokens, type SessionResponse, signIn } from "../support/accounts.ts";
import { runProgram } from "../support/program.ts";
import { startSmallFestival } from "../support/refreshes.ts";
import { type Site, startSite } from "../support/site.ts";

const run = promisify(execFile);
const page = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");

/** For deleting a folder in which a database that was killed with its site is still ending, and writes. */
const whileItEnds = { maxRetries: 10, retryDelay: 100 };

let festival: FakeFestivalApi;
let providers: FakeIdentityProviders;
/** Where the machine of the operator's page keeps what it keeps. */
let machine: string;
let variables: Record<string, string>;
let site: Site;

beforeAll(async () => {
  machine = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-drill-")));
  ({ fake: festival } = await startSmallFestival());
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  providers = await startFakeIdentityProviders(origin);
  variables = {
    ...providers.variables,
    PORT: port,
    ORIGIN: origin,
    FESTIVAL_API_URL: festival.url,
    FESTIVAL_API_KEY: festival.key,
    FESTIVAL_API_SECRET: festival.secret,
    DATA_DIR: path.join(machine, "var/lib/front-row/data"),
  };
});
afterAll(async () => {
  await providers.close();
  await festival.close();
  await rm(machine, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const folder of ["root", "var/lib/front-row/backups"])
    await mkdir(path.join(machine, folder), { recursive: true });
  site = await startSite(variables);
});
afterEach(async () => {
  await site.stop();
  await rm(path.join(machine, "var"), { recursive: true, force: true, ...whileItEnds });
});

/** A command of the operator's page, as it stands there, with this machine's folders in the place of the real ones. */
async function asOnThePage(command: string): Promise<void> {
  expect(page).toContain(`\nsudo ${command}\n`);
  const [program = "", ...words] = command.split(" ");
  await run(program, words.map((word) => (word.startsWith("/") ? path.join(machine, word) : word))); // biome-ignore format: one thought
}

/** The operator's command on the running site. */
async function admin(...words: string[]): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const program = runProgram("src/cli/admin.ts", words, { PATH, HOME, ...variables });
  if ((await program.exited) !== 0) throw new Error(program.output());
}

const written = [
  { audience_interaction: "yes", notes: "Sat in row three; was asked for my name." },
  { audience_interaction: "no", notes: "Sofa all the way — 🎭 “quiet”\nand dark." },
  { audience_interaction: "very_little", notes: "" },
];

interface People {
  wren: SessionResponse;
  pip: SessionResponse;
}

/** Two people with reviews. */
async function writeReviews(): Promise<People> {
  const wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  const pip = await signIn(site.origin, "github", { email: "pip@people.example" });
  const shows = await untilListed();
  for (const [index, review] of written.entries()) {
    for (const { user, access_token } of index === 0 ? [wren, pip] : [wren]) {
      const sent = { show_id: shows[index]?.id ?? "", ...review };
      expect((await sendReview(site.origin, { id: user.id, token: access_token }, sent)).status).toBe(200);
    }
  }
  return { wren, pip };
}

async function untilListed(): Promise<{ id: string }[]> {
  const list = async () => (await site.api("/api/shows")).json();
  await expect.poll(async () => (await list()).total, { timeout: 30_000 }).toBeGreaterThan(200);
  return (await list()).shows;
}

async function reviewsOf({ access_token }: SessionResponse): Promise<unknown> {
  const answer = await site.api("/api/reviews/mine", { Authorization: `Bearer ${access_token}` });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** All that visitors see, with how often what was answered. */
async function seen(): Promise<unknown> {
  return (await site.api("/api/shows?interaction=no&interaction=very_little&interaction=yes")).json();
}

async function loseEverything(): Promise<void> {
  await site.stop("SIGKILL");
  await rm(path.join(machine, "var"), { recursive: true, ...whileItEnds });
  await mkdir(path.join(machine, "var/lib/front-row"), { recursive: true });
}

test("a copy of the data folder brings everything back, and whoever was signed in still is", async () => {
  const { wren, pip } = await writeReviews();
  const before = { wren: await reviewsOf(wren), pip: await reviewsOf(pip), seen: await seen() };
  await site.stop();
  await asOnThePage("tar -C /var/lib/front-row -czf /root/front-row-data.tar.gz data");
  await loseEverything();
  await asOnThePage("rm -rf /var/lib/front-row/data");
  await asOnThePage("tar -C /var/lib/front-row -xzpf /root/front-row-data.tar.gz");
  site = await startSite(variables);

  expect({ wren: await reviewsOf(wren), pip: await reviewsOf(pip), seen: await seen() }).toEqual(before);
  const renewed = await readSession(await refreshTokens(site.origin, wren.refresh_token));
  expect(renewed.user.id).toBe(wren.user.id);
  expect((await callAuth(site.origin, "/user", { token: renewed.access_token })).status).toBe(200);
});

test("an export that is made while the site runs brings users and reviews back into a new site", async () => {
  const { wren, pip } = await writeReviews();
  const before = { wren: await reviewsOf(wren), pip: await reviewsOf(pip), seen: await seen() };
  const file = path.join(machine, "root/2026-08-04.jsonl");
  await admin("export", file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await loseEverything();
  site = await startSite(variables);
  await untilListed();
  await admin("import", file);
  await expect.poll(seen, { timeout: 10_000 }).toEqual(before.seen);

  expect((await refreshTokens(site.origin, wren.refresh_token)).status).toBe(400);
  const wrenAgain = await signIn(site.origin, "google", { email: "wren@people.example" });
  const pipAgain = await signIn(site.origin, "github", { email: "pip@people.example" });
  expect([wrenAgain.user.id, pipAgain.user.id]).toEqual([wren.user.id, pip.user.id]);
  expect({ wren: await reviewsOf(wrenAgain), pip: await reviewsOf(pipAgain) }).toEqual({
    wren: before.wren,
    pip: before.pip,
  });
});
