import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chown, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../../src/database/open.server.ts";
import { startTrialPostgres } from "../../src/database/trial/trial-postgres.server.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { query } from "../support/postgres-server.ts";
import { setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const log = pino({ level: "silent" });
const folder = await setUpFolder();
const own = createCertificates("own");
const foreign = createCertificates("foreign");
/** URLs of databases whose server offers TLS, demands it, or has none. */
const servers = await startServers();

async function startServers() {
  const dataDir = join(folder, "data");
  const created = await startTrialPostgres({ dataDir, log });
  for (const name of ["offers", "demands"]) await query(created.url, `create database ${name}`);
  await created.stop();
  const cluster = join(dataDir, "postgres");
  const { uid, gid } = await stat(cluster);
  for (const [file, original] of Object.entries({ "server.crt": own.certificate, "server.key": own.key })) {
    await writeFile(join(cluster, file), await readFile(original), { mode: 0o600 });
    await chown(join(cluster, file), uid, gid);
  }
  const rules = `host offers all 127.0.0.1/32 trust
    hostssl demands all 127.0.0.1/32 trust
    host demands all 127.0.0.1/32 reject\n`;
  const file = join(cluster, "pg_hba.conf");
  await writeFile(file, rules + (await readFile(file, "utf8")));
  const server = await startTrialPostgres({ dataDir, log, settings: { ssl: "on", fsync: "off" } });
  const plain = await createEmptyDatabase();
  afterAll(plain.close);
  afterAll(server.stop);
  const urlOf = (pathname: string) => Object.assign(new URL(server.url), { pathname, search: "" }).href;
  const secure = { offers: urlOf("offers"), demands: urlOf("demands") };
  return { ...secure, lacks: plain.url.split("?")[0] ?? "" };
}

type Server = keyof typeof servers;

const addressOf = (server: Server, host: string, parameters: string) =>
  `${servers[server].replace("127.0.0.1", host)}${parameters}`
    .replace("OWN", own.authority)
    .replace("FOREIGN", foreign.authority);

async function isEncrypted(databaseUrl: string): Promise<boolean> {
  const database = await openDatabase({ databaseUrl, dataDir: "/nonexistent", log, sharing: "own" });
  const select = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
  const { rows } = await database.pool.query<{ ssl: boolean }>(select).finally(database.close);
  return rows[0]?.ssl ?? expect.fail();
}

test.each<[Server, string, string, boolean]>([
  ["offers", "localhost", "", false],
  ["offers", "localhost", "?sslmode=require", true],
  ["offers", "127.0.0.1", "?sslmode=verify-ca&sslrootcert=OWN", true],
  ["demands", "localhost", "?sslmode=verify-full&sslrootcert=OWN", true],
])("a server that %s TLS, at %s%s: encrypted is %s", async (server, host, parameters, encrypted) => {
  expect(await isEncrypted(addressOf(server, host, parameters))).toBe(encrypted);
});

testRows<[Server, string, string, RegExp]>(2, [
  ["offers", "127.0.0.1", "?sslmode=verify-full&sslrootcert=OWN", /altnames/],
  ["offers", "127.0.0.1", "?sslmode=verify-ca&sslrootcert=FOREIGN", /certificate/],
  ["offers", "localhost", "?sslmode=verify-full", /certificate/],
  ["demands", "127.0.0.1", "", /no encryption/],
  ["lacks", "127.0.0.1", "?sslmode=require", /does not support SSL/],
])("a server that %s TLS is refused at %s%s, in one line", async (server, host, parameters, reason) => {
  const line = new RegExp(`^The database at [^\\n]*${reason.source}[^\\n]* Check DATABASE_URL\\.$`);
  await expect(isEncrypted(addressOf(server, host, parameters))).rejects.toThrow(line);
});

test("a site encrypts all its connections, and no library warns", async () => {
  const url = addressOf("demands", "localhost", "?sslmode=verify-full&sslrootcert=OWN");
  const site = await startSite({ DATABASE_URL: url });
  const ofSite =
    "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'front-row%'";
  const connections = await query(servers.offers, ofSite);
  await site.stop();
  expect(connections.length).toBeGreaterThan(1);
  expect(connections).toEqual(connections.map(() => ({ ssl: true })));
  expect(site.log.filter((line) => !line.startsWith("{"))).toEqual([]);
});

function createCertificates(name: string) {
  const file = (suffix: string) => join(folder, `${name}-${suffix}`);
  const openssl = (words: string, ...args: string[]) =>
    execFileSync("openssl", [...words.split(" "), ...args], { stdio: "ignore" });
  const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  const [authority, authorityKey] = [file("ca.pem"), file("ca.key")];
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=${name}`, "-keyout", authorityKey, "-out", authority);
  const [certificate, key] = [file("cert.pem"), file("cert.key")];
  const [request, names] = [file("csr"), file("names")];
  openssl(`req ${newKey} -subj /CN=localhost`, "-keyout", key, "-out", request);
  writeFileSync(names, "subjectAltName=DNS:localhost");
  const signed = ["-CA", authority, "-CAkey", authorityKey, "-extfile", names];
  openssl("x509 -req -CAcreateserial -days 2", "-in", request, "-out", certificate, ...signed);
  return { authority, certificate, key };
}
