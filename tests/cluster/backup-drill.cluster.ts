import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { showPage } from "../../src/domain/show.ts";
import {
  bearer,
  callAuth,
  refreshTokens,
  type SessionResponse,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { findPrograms, startDebianPostgres } from "../support/debian-postgres.ts";
import { operationsGuide } from "../support/operations-guide.ts";
import { query } from "../support/postgres-server.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";

const run = promisify(execFile);

/** Represents the root of the operator's machine. */
const machine = await setUpFolder();
const { fake: festival } = await startSmallFestival();
afterAll(festival.close);
const bin = findPrograms() ?? expect.fail("There is no PostgreSQL of Debian's");
const server = await startDebianPostgres(bin);
afterAll(server.close);
await query(server.url, "create database frontrow");
const DATABASE_URL = server.url.replace(/postgres$/, "frontrow");
const accounts = await startAccountsSite({ ...festivalSettings(festival), DATABASE_URL });
afterAll(accounts.close);
const variables = { ...accounts.variables, PORT: new URL(accounts.site.origin).port, PG_BIN: bin };
let { site } = accounts;
afterAll(() => site.stop());

/** Runs a command of docs/operations verbatim as this user, but with absolute paths below `machine`. */
async function runFromGuide(command: string | RegExp): Promise<void> {
  const [, found = ""] =
    new RegExp(`\\n(${command instanceof RegExp ? command.source : RegExp.escape(command)})\\n`).exec(
      operationsGuide,
    ) ?? expect.fail(`${command}`);
  const here = found
    .replaceAll(/sudo (-u front-row )?|-o front-row /g, "")
    .replaceAll(/(?<= )\/(?!dev\/null)/g, `${machine}/`);
  const { PATH = "", HOME = "" } = process.env;
  const cwd = path.join(machine, "opt/front-row/current");
  await run("sh", ["-c", here], {
    cwd: here.startsWith("bin/") ? cwd : machine,
    env: { PATH, HOME, ...variables },
  });
}

const reviewTexts = [
  { audience_interaction: "yes", notes: "Sat in row three; was asked for my name." },
  { audience_interaction: "no", notes: "Sofa all the way — 🎭 “quiet”\nand dark." },
  { audience_interaction: "very_little", notes: "" },
];

/** Signs in two users and writes their reviews. Returns their sessions, and the data that one of them and visitors see. */
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
  const before = { wren: await reviewsOf(wren), tallies: await tallies() };
  return { wren, pip, before };
}

async function waitForShows(): Promise<{ id: string }[]> {
  const list = async () => (await site.api("/api/shows")).json();
  await expect.poll(async () => (await list()).total, { timeout: 30_000 }).toBeGreaterThan(200);
  return (await list()).shows;
}

async function reviewsOf(session: SessionResponse): Promise<unknown> {
  const response = await site.api("/api/reviews/mine", bearer(session));
  expect(response.status).toBe(200);
  return response.json();
}

/** The tallies of reviewed shows: No, Very Little, Yes. */
async function tallies(): Promise<number[][]> {
  const list = await site.api("/api/shows?interaction=no&interaction=very_little&interaction=yes");
  const { shows } = showPage.parse(await list.json());
  return shows.map(({ reviews }) => [reviews?.no ?? 0, reviews?.very_little ?? 0, reviews?.yes ?? 0]).sort();
}

test("the drill: a backup each night, total loss, and a restore without users who deleted their account later", async () => {
  await mkdir(path.join(machine, "opt/front-row/current/bin"), { recursive: true });
  const program = `#!/bin/sh\nexec ${process.execPath} ${path.resolve("build/server/admin.js")} "$@"\n`;
  await writeFile(path.join(machine, "opt/front-row/current/bin/admin"), program, { mode: 0o755 });
  const { wren, pip, before } = await signInAndReview();

  await runFromGuide("sudo -u front-row mkdir -p -m 700 /var/lib/front-row/backups");
  const backups = path.join(machine, "var/lib/front-row/backups");
  await writeFile(path.join(backups, "2025-01-01.backup"), "");
  await utimes(path.join(backups, "2025-01-01.backup"), 0, 0);
  await mkdir(path.join(machine, "etc/cron.d"), { recursive: true });
  await runFromGuide(/echo '0 4 \* \* \* front-row .*/);
  const cron = await readFile(path.join(machine, "etc/cron.d/front-row"), "utf8");
  const [, service = ""] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(operationsGuide) ?? [];
  expect(
    service
      .replace("%%", "\\%")
      .replace(".backup ", ".backup > /dev/null ")
      .replaceAll(/ \/(?!dev)/g, ` ${machine}/`)
      .replace(/^\//, `${machine}/`),
  ).toBe(cron.trim().replace("0 4 * * * front-row ", ""));
  const command = cron.replace("0 4 * * * front-row ", "").replaceAll("\\%", "%");
  const mail = await run("sh", ["-c", command], { env: { PATH: process.env.PATH, ...variables } });
  expect(mail).toEqual({ stdout: "", stderr: "" });
  const [file = "", ...others] = await readdir(backups);
  expect([file, others]).toEqual([expect.stringMatching(/^[\d-]{10}\.backup$/), [`${file}.sha256`]]);

  const body = JSON.stringify({ email: "pip@people.example" });
  const deletion = await site.api("/auth/v1/user", bearer(pip), { method: "DELETE", body });
  expect(deletion.status).toBe(204);
  const deleted = () => site.log.filter((line) => line.includes('"event":"account_deleted"'));
  await expect.poll(deleted, { timeout: 10_000 }).toHaveLength(1);

  // The copies on another machine.
  for (const end of ["", ".sha256"])
    await rename(path.join(backups, file + end), path.join(machine, `2026-08-04.backup${end}`));
  await writeFile(path.join(machine, "deleted-since.jsonl"), `${deleted().join("\n")}\n`);
  await site.stop("SIGKILL");
  await rm(path.join(machine, "var"), { recursive: true });
  await query(server.url, "drop database frontrow with (force)");
  await mkdir(path.join(machine, "var/lib/front-row"), { recursive: true });
  await query(server.url, "create database frontrow");

  site = await startSite(variables);
  await waitForShows();
  await runFromGuide(
    /sudo install -o front-row \S+ \S+ 2026-08-04.backup 2026-08-04.backup.sha256 deleted-since.jsonl \S+/,
  );
  await runFromGuide(/sudo -u front-row bin\/admin restore \S+ --except-users \S+/);
  await runFromGuide(/sudo rm \S+\.backup\* \S+\.jsonl/);

  expect((await refreshTokens(site.origin, wren.refresh_token)).status).toBe(400);
  const again = await signIn(site.origin, "google", { email: "wren@people.example" });
  expect(again.user.id).toBe(wren.user.id);
  expect(await reviewsOf(again)).toEqual(before.wren);
  expect(before.tallies).toEqual([
    [0, 0, 2],
    [0, 1, 0],
    [1, 0, 0],
  ]);
  await expect.poll(tallies).toEqual([
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ]);
  expect((await refreshTokens(site.origin, pip.refresh_token)).status).toBe(400);
  expect((await callAuth(site.origin, "/user", { token: pip.access_token })).status).toBe(403);
});
