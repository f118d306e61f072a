import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { chown, readFile, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
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
/** URLs of databases whose server offers TLS, demands it, demands it with a password, or has none. */
const servers = await startServers();

async function startServers() {
  const dataDir = join(folder, "data");
  const created = await startTrialPostgres({ dataDir, log });
  for (const name of ["offers", "demands", "binds"]) await query(created.url, `create database ${name}`);
  await created.stop();
  const cluster = join(dataDir, "postgres");
  const { uid, gid } = await stat(cluster);
  for (const [file, original] of Object.entries({ "server.crt": own.certificate, "server.key": own.key })) {
    await writeFile(join(cluster, file), await readFile(original), { mode: 0o600 });
    await chown(join(cluster, file), uid, gid);
  }
  const rules = `host offers all 127.0.0.1/32 trust
    hostssl demands all 127.0.0.1/32 trust
    hostssl binds all 127.0.0.1/32 scram-sha-256
    host demands,binds all 127.0.0.1/32 reject\n`;
  const file = join(cluster, "pg_hba.conf");
  await writeFile(file, rules + (await readFile(file, "utf8")));
  const server = await startTrialPostgres({ dataDir, log, settings: { ssl: "on", fsync: "off" } });
  const plain = await createEmptyDatabase();
  afterAll(plain.close);
  afterAll(server.stop);
  const urlOf = (pathname: string) => Object.assign(new URL(server.url), { pathname, search: "" }).href;
  const secure = { offers: urlOf("offers"), demands: urlOf("demands"), binds: urlOf("binds") };
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

/** The first rows have each server and each level of verification. */
testRows<[Server, string, string, boolean]>(7, [
  ["offers", "localhost", "", true],
  ["offers", "localhost", "?sslmode=disable", false],
  ["offers", "127.0.0.1", "?sslmode=verify-ca&sslrootcert=OWN", true],
  ["offers", "localhost", "?sslmode=verify-full&sslrootcert=OWN", true],
  ["demands", "127.0.0.1", "", true],
  ["binds", "127.0.0.1", "?channel_binding=require", true],
  ["lacks", "127.0.0.1", "", false],
  ["offers", "127.0.0.1", "?sslmode=require&sslrootcert=OWN", true],
  ["offers", "localhost", "?sslmode=verify-full&sslrootcert=OWN&channel_binding=prefer&target_session_attrs=primary", true],
  ["demands", "127.0.0.1", "?sslmode=allow", true],
  ["binds", "localhost", "?sslmode=verify-full&sslrootcert=OWN&channel_binding=require", true],
  ["binds", "localhost", "?channel_binding=disable", true],
  ["lacks", "127.0.0.1", "?sslmode=allow", false],
])("a server that %s TLS, at %s%s: encrypted is %s", async (server, host, parameters, encrypted) => {
  expect(await isEncrypted(addressOf(server, host, parameters))).toBe(encrypted);
}); // biome-ignore format: a table

/** The first rows have each reason. */
testRows<[Server, string, string, RegExp]>(5, [
  ["offers", "localhost", "?sslmode=verify-full", /TLS certificate is not trusted, which sslmode=verify-full in DATABASE_URL demands .*sslrootcert=/],
  ["offers", "127.0.0.1", "?sslmode=verify-full&sslrootcert=OWN", /TLS certificate is for another host, which sslmode=verify-full in DATABASE_URL refuses/],
  ["demands", "127.0.0.1", "?sslmode=disable", /no encryption.*sslmode=disable in DATABASE_URL: sslmode=require encrypts/],
  ["offers", "localhost", "?channel_binding=require", /offers no channel binding, which channel_binding=require/],
  ["lacks", "127.0.0.1", "?sslmode=require", /offers no TLS, which sslmode=require in DATABASE_URL demands/],
  ["offers", "localhost", "?sslmode=verify-full&sslrootcert=FOREIGN", /TLS certificate is not trusted, which sslmode=verify-full/],
  ["offers", "127.0.0.1", "?sslmode=verify-ca&sslrootcert=FOREIGN", /TLS certificate is not trusted, which sslmode=verify-ca/],
  ["offers", "127.0.0.1", "?sslmode=require&sslrootcert=FOREIGN", /TLS certificate is not trusted, which sslmode=require/],
])("a server that %s TLS is refused at %s%s, in one line", async (server, host, parameters, line) => {
  const started = performance.now();
  const error: unknown = await isEncrypted(addressOf(server, host, parameters)).catch((reason: unknown) => reason);
  expect(error).toHaveProperty("name", "OperatorError");
  expect(error).toHaveProperty("message", expect.stringMatching(line));
  expect(error).toHaveProperty("message", expect.stringMatching(/^The database at [^\n]*$/));
  expect(performance.now() - started).toBeLessThan(5_000);
}); // biome-ignore format: a table

const encrypting: [string][] = [
  ["?sslmode=verify-ca&sslrootcert=OWN"],
  ["?sslmode=require"],
  ["?sslmode=prefer"],
];
testRows(1, encrypting)("with %s a site encrypts its connections, no library warns", async (parameters) => {
  const site = await startSite({ DATABASE_URL: addressOf("demands", "localhost", parameters) });
  const ofSite =
    "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'front-row%'";
  const connections = await query(servers.offers, ofSite);
  await site.stop();
  expect(connections.length).toBeGreaterThan(1);
  expect(connections).toEqual(connections.map(() => ({ ssl: true })));
  expect(site.log.filter((line) => !line.startsWith("{"))).toEqual([]);
});

test("all forms of address of the machine's socket work, without TLS", async () => {
  const { port, hostname, username, password, pathname } = new URL(servers.offers);
  const relay = createServer((socket) => pipeline(socket, connect(Number(port), hostname), socket, () => {}));
  relay.listen(join(folder, ".s.PGSQL.5499"));
  await once(relay, "listening");
  for (const address of [
    `postgres://${username}:${password}@${pathname}?host=${folder}&port=5499`,
    `postgres://${pathname}?host=${folder}&port=5499&user=${username}&password=${password}&sslmode=require`,
    `postgres://${username}:${password}@${encodeURIComponent(folder)}:5499${pathname}?target_session_attrs=read-write`,
  ])
    expect(await isEncrypted(address)).toBe(false);
  relay.close();
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
