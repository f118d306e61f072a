import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { runProgram } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = await setUpFolder();
const configuration = ["package.json", "tsconfig.json", "vite.config.ts"];
for (const file of ["dev", "public", "scripts", "src", ...configuration])
  await cp(join(root, file), join(folder, file), { recursive: true });
await symlink(join(root, "node_modules"), join(folder, "node_modules"));
const port = String(await freePort());
const origin = `http://localhost:${port}`;
const settings = { PORT: port, FAKE_FESTIVAL_OPTIONS: "--size 20" };
const dev = runProgram("dev/dev.ts", [], settings, ["env", `--chdir=${folder}`]);
afterAll(async () => {
  dev.process.kill("SIGINT");
  expect(await dev.exited).toBe(0);
});
await dev.waitForOutput("Front Row is open at");

/** Saves a file until the site sends this text: the watcher drops changes within some milliseconds. */
async function saveUntil(file: string, content: string, answer: string): Promise<void> {
  const save = async () => {
    await writeFile(join(folder, file), content);
    return (await fetch(origin)).text();
  };
  await expect.poll(save, { timeout: 60_000, interval: 200 }).toContain(answer);
}

testRows<[string]>(2, [
  ["src/http/requests/errors.server.ts"],
  ["src/domain/review.ts"],
  ["src/shows/show-card.tsx"],
])("a syntax error in %s is shown and does not end it, and goes with the error", async (file) => {
  const text = await readFile(join(folder, file), "utf8");
  await saveUntil(file, `${text}\nexport const unfinished = (;\n`, file);
  expect((await fetch(origin)).status).toBe(500);
  expect(dev.output()).toContain(file);
  await saveUntil(file, text, "Showing 1-20 of 20 shows");
});
