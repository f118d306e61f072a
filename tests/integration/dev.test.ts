import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { type Program, runProgram } from "../support/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the project, whose files the tests change, with the database in its default place. */
let folder: string;
let dev: Program;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "front-row-dev-"));
  const files = [
    "dev",
    "public",
    "scripts",
    "src",
    "package.json",
    "react-router.config.ts",
    "tsconfig.json",
    "vite.config.ts",
  ];
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  dev = runProgram("dev/dev.ts", [], { PORT: port, FAKE_FESTIVAL_OPTIONS: "--size 20" }, [
    "env",
    `--chdir=${folder}`,
  ]);
  await dev.waitForOutput("Front Row is open at");
}, 120_000);
afterAll(async () => {
  dev.process.kill("SIGINT");
  expect(await dev.exited).toBe(0);
  await rm(folder, { recursive: true });
});

const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status;
const polling = { timeout: 60_000, interval: 200 };

test.each(["src/http/observability/health.server.ts", "src/shows/show-card.tsx", "src/domain/review.ts"])(
  "a syntax error in %s is shown and does not end it, and goes with the error",
  async (file) => {
    expect(await statusOf("/")).toBe(200);
    const text = await readFile(join(folder, file), "utf8");
    await appendFile(join(folder, file), "\nexport const unfinished = (;\n");
    await vi.waitUntil(async () => (await statusOf("/")) === 500, polling);
    const shown = await (await fetch(origin)).text();
    expect(shown).toContain(file);
    expect(dev.output()).toContain(file);
    await writeFile(join(folder, file), text);
    await vi.waitUntil(async () => (await statusOf("/")) === 200, polling);
  },
  150_000,
);

test.runIf(process.platform === "linux")("it watches the sources, and not the database's files", async () => {
  const watched = await watchedInodes(dev.process.pid ?? 0);
  const inodes = async (path: string) =>
    Promise.all(
      (await readdir(join(folder, path))).map(async (name) => (await stat(join(folder, path, name))).ino),
    );
  const countWatched = async (path: string) =>
    (await inodes(path)).filter((inode) => watched.has(inode)).length;
  expect(await countWatched("src")).toBeGreaterThan(0);
  for (const path of ["data", "data/postgres", "data/postgres/base"])
    expect(await countWatched(path)).toBe(0);
});

/** The inodes of the files that a process watches, by inotify. */
async function watchedInodes(pid: number): Promise<Set<number>> {
  const infos = (await readdir(`/proc/${pid}/fdinfo`)).map((fd) =>
    readFile(`/proc/${pid}/fdinfo/${fd}`, "utf8").catch(() => ""),
  );
  const text = (await Promise.all(infos)).join("");
  return new Set(
    [...text.matchAll(/^inotify .*?ino:([0-9a-f]+)/gm)].map(([, inode = ""]) => Number.parseInt(inode, 16)),
  );
}
