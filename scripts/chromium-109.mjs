// Downloads Chromium 109, one of the oldest supported browsers, once for `npm run test:engines`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { brotliDecompressSync } from "node:zlib";
import { fail, root } from "./setup.mjs";

const name = "@sparticuz/chromium@109.0.6";
const sha512 = "9hTE03DXnrWTiGNpfjLfmGhIfmiVAerSPinDb+x5bBdM4KF4PMM1NZ0A+V7WKazoA+CasSX/osHK8K0MuO6uqg==";
const folder = join(root, "node_modules", ".cache", "chromium-109");

/** Undefined for platforms without one. */
export function ensureChromium109() {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const program = join(folder, "chromium");
  if (existsSync(program)) return program;
  console.log("Downloading Chromium 109 …");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = run("npm", ["pack", "--silent", name]).trim();
  const digest = createHash("sha512")
    .update(readFileSync(join(folder, archive)))
    .digest("base64");
  if (digest !== sha512) fail(`${name} is not the package that the tests were written with.`);
  run("tar", ["-xzf", archive, "package/bin/chromium.br"]);
  const content = brotliDecompressSync(readFileSync(join(folder, "package/bin/chromium.br")));
  writeFileSync(`${program}.new`, content, { mode: 0o755 });
  renameSync(`${program}.new`, program);
  rmSync(join(folder, archive));
  rmSync(join(folder, "package"), { recursive: true });
  return program;
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) fail(`${command} ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}
