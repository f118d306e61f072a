// `npm run test:engines`: tests what visitors do in Firefox and WebKit, from a bare clone. As root on Debian the
// browsers are Debian's, elsewhere Playwright's. Arguments are vitest's, such as the path of one file.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { ensurePackages } from "./debian-packages.mjs";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

const isDebian = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

if (isDebian) ensurePackages(["firefox-esr", "webkit2gtk-driver", "xvfb"]);
ensureInstalled();
if (!isDebian) installPlaywrightBrowsers();
const runtime = findRuntime();
ensureBuilt(runtime);
process.env.ENGINES ??= isDebian ? "debian" : "playwright";
process.exitCode = await run(runtime, [
  `${root}/node_modules/.bin/vitest`,
  "run",
  "--config",
  "vitest.engines.config.ts",
  ...process.argv.slice(2),
]);

/** Downloads what is missing. */
function installPlaywrightBrowsers() {
  const { status } = spawnSync(`${root}/node_modules/.bin/playwright`, ["install", "firefox", "webkit"], {
    stdio: "inherit",
  });
  if (status !== 0) fail("Playwright could not install its browsers: see its message above.");
}
