import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { type FakeIdentityProviders, startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts"; // biome-ignore format: one thought
import { freePort } from "../../dev/harness/free-port.ts";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { callAuth, readSession, refreshTokens, type SessionResponse, signIn } from "../support/accounts.ts";
import { operationsGuide } from "../support/operations-guide.ts";
import { runProgram } from "../support/program.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { type SiteProcess, startSite } from "../support/site.ts";

const run = promisify(execFile);

/** A killed database writes to its folder until it has stopped, so that removing the folder needs retries. */
const retryRemoval = { maxRetries: 10, retryDelay: 100 };

let festival: FakeFestivalApi;
let providers: FakeIdentityProviders;
/** A folder that stands for the root of the operator's machine. */
let machine: string;
let variables: Record<string, string>;
let site: SiteProcess;

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
    ...festivalSettings(festival),
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
  await rm(path.join(machine, "var"), { recursive: true, force: true, ...retryRemoval });
});

/** Runs a command exactly as docs/operations has it, with absolute paths moved below `machine`. */
async function runFromGuide(command: string): Promise<void> {
  expect(operationsGuide).toContain(`\nsudo ${command}\n`);
  await run("sh", ["-c", command.replaceAll(/(?<= )\//g, `${machine}/`)]);
}

/** Runs `npm run admin` against the running site. */
async function admin(...args: string[]): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const command = runProgram("src/cli/admin.ts", args, { PATH, HOME, ...variables });
  if ((await command.exited) !== 0) throw new Error(command.output());
}

const reviewTexts = [
  { audience_interaction: "yes", notes: "Sat in row three; was asked for my name." },
  { audience_interaction: "no", notes: "Sofa all the way — 🎭 “quiet”\nand dark." },
  { audience_interaction: "very_little", notes: "" },
];

/** Signs in two users and writes their reviews. Returns their sessions, and what they and visitors see. */
async function signInAndReview() {
  const wren = await signIn(site.origin, "google", { email: "wren@people.example" });
  const pip = await signIn(site.origin, "github", { email: "pip@people.example" });
  const shows = await waitForShows();
  for (const [index, review] of reviewTexts.entries()) {
    for (const { user, access_token } of index === 0 ? [wren, pip] : [wren]) {
      const body = { show_id: shows[index]?.id ?? "", ...review };
      expect((await sendReview(site.origin, { id: user.id, token: access_token }, body)).status).toBe(200);
    }
  }
  const before = { wren: await reviewsOf(wren), pip: await reviewsOf(pip), shows: await visibleShows() };
  return { wren, pip, before };
}

async function waitForShows(): Promise<{ id: string }[]> {
  const list = async () => (await site.api("/api/shows")).json();
  await expect.poll(async () => (await list()).total, { timeout: 30_000 }).toBeGreaterThan(200);
  return (await list()).shows;
}

async function reviewsOf({ access_token }: SessionResponse): Promise<unknown> {
  const response = await site.api("/api/reviews/mine", { Authorization: `Bearer ${access_token}` });
  expect(response.status).toBe(200);
  return response.json();
}

/** The reviewed shows with their tallies, without revisions: an import changes the tallies of a show once, its reviewers one after the other. */
async function visibleShows(): Promise<unknown> {
  const shows = await site.api("/api/shows?interaction=no&interaction=very_little&interaction=yes");
  return JSON.parse(await shows.text(), (name, value) => (name === "revision" ? undefined : value));
}

async function loseMachine(): Promise<void> {
  await site.stop("SIGKILL");
  await rm(path.join(machine, "var"), { recursive: true, ...retryRemoval });
  await mkdir(path.join(machine, "var/lib/front-row"), { recursive: true });
}

test("a copy of the data folder restores everything, sessions included", async () => {
  const { wren, pip, before } = await signInAndReview();
  await site.stop();
  await runFromGuide("sh -c 'umask 077; tar -C /var/lib/front-row -czf /root/front-row-data.tar.gz data'");
  await loseMachine();
  await runFromGuide("rm -rf /var/lib/front-row/data");
  await runFromGuide("tar -C /var/lib/front-row -xzpf /root/front-row-data.tar.gz");
  site = await startSite(variables);

  const after = { wren: await reviewsOf(wren), pip: await reviewsOf(pip), shows: await visibleShows() };
  expect(after).toEqual(before);
  const renewed = await readSession(await refreshTokens(site.origin, wren.refresh_token));
  expect(renewed.user.id).toBe(wren.user.id);
  expect((await callAuth(site.origin, "/user", { token: renewed.access_token })).status).toBe(200);
});

test("an export of a running site restores users and reviews in a new site", { tags: "soak" }, async () => {
  const { wren, pip, before } = await signInAndReview();
  const file = path.join(machine, "root/2026-08-04.jsonl");
  await admin("export", file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await loseMachine();
  site = await startSite(variables);
  await waitForShows();
  await admin("import", file);
  await expect.poll(visibleShows, { timeout: 10_000 }).toEqual(before.shows);

  expect((await refreshTokens(site.origin, wren.refresh_token)).status).toBe(400);
  const newWren = await signIn(site.origin, "google", { email: "wren@people.example" });
  const newPip = await signIn(site.origin, "github", { email: "pip@people.example" });
  expect([newWren.user.id, newPip.user.id]).toEqual([wren.user.id, pip.user.id]);
  expect([await reviewsOf(newWren), await reviewsOf(newPip)]).toEqual([before.wren, before.pip]);
});
