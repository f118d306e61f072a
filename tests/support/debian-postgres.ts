import { execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { query } from "./postgres-server.ts";
import { startProxy } from "./proxy-process.ts";

/** The folder with server and client programs of the newest PostgreSQL that Debian has installed, or of this version. */
export const findPrograms = (major = "*") =>
  globSync(`/usr/lib/postgresql/${major}/bin`)
    .filter((bin) => existsSync(join(bin, "pg_dump")))
    .sort()
    .at(-1);

/** A server of Debian's on the loopback, as the user that the package made. Needs root. */
export async function startDebianPostgres(bin: string) {
  const data = await mkdtemp(join(tmpdir(), "front-row-debian-"));
  await chmod(data, 0o755);
  execFileSync("chown", ["postgres", data]);
  const asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"];
  const initdb = [join(bin, "initdb"), "--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync"];
  execFileSync(asPostgres[0] ?? "", [...asPostgres.slice(1), ...initdb, "-D", join(data, "cluster")]);
  const port = await freePort();
  const server = [join(bin, "postgres"), "-D", join(data, "cluster"), "-p", String(port), "-k", data];
  const settings = ["listen_addresses=127.0.0.1", "fsync=off", "log_min_messages=panic"].flatMap((each) => [
    "-c",
    each,
  ]);
  const started = await startProxy({
    port,
    files: {},
    command: () => [...asPostgres, ...server, ...settings],
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const answers = () => query(url, "select 1").catch(() => null);
  await vi.waitUntil(answers, { timeout: 60_000, interval: 50 });
  return {
    url,
    async close() {
      await started.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}
