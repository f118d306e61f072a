// `npm run test:engines`: Firefox, WebKit and Chromium 109. As root on Debian the first two are Debian's,
// elsewhere Playwright's. Arguments are vitest's.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { ensureChromium109 } from "./chromium-109.mjs";
import { canInstallPackages, ensurePackages } from "./debian-packages.mjs";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

await ensureInstalled();
if (canInstallPackages) ensurePackages(["firefox-esr", "webkit2gtk-driver", "xvfb", "libnss3"]);
if (!canInstallPackages) installPlaywrightBrowsers();
const runtime = findRuntime();
ensureBuilt(runtime);
process.env.CHROMIUM_109 ??= ensureChromium109() ?? "";
process.env.FONTCONFIG_FILE ??= `${root}/tests/fonts/wide.conf`;
process.env.ENGINES ??= canInstallPackages ? "debian" : "playwright";
process.exitCode = await run(runtime, [
  `${root}/node_modules/.bin/vitest`,
  "run",
  "--project=engines",
  ...process.argv.slice(2),
]);

function installPlaywrightBrowsers() {
  const { status } = spawnSync(`${root}/node_modules/.bin/playwright`, ["install", "firefox", "webkit"], {
    stdio: "inherit",
  });
  if (status !== 0) fail("Playwright could not install its browsers: see its message above.");
}
