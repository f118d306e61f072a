import { afterEach, expect, test, vi } from "vitest";
import {
  connectionConfig,
  describeServer,
  findUrlProblem,
  sslModeOf,
  tlsVariants,
} from "./database-url.server.ts";

afterEach(() => vi.unstubAllEnvs());

const problemOf = (url: string) =>
  findUrlProblem(url.startsWith("?") ? `postgres://me:secret@db.example/frontrow${url}` : url);

test.each([
  "postgres://me:secret@db.example/frontrow",
  "postgresql://me:secret@db.example:6543/frontrow?sslmode=require",
  "postgres://me:secret@[2001:db8::7]:5432/frontrow?sslmode=verify-full",
  "?sslmode=verify-full&sslrootcert=system",
  "?target_session_attrs=read-write",
])("%s is accepted", (url) => {
  expect(problemOf(url)).toBeNull();
});

test.each([
  ["mysql://me:secret@db.example/frontrow", "must be a postgres:// URL"],
  ["host=db.example dbname=frontrow password=secret", "must be a postgres:// URL"],
  ["postgres://me:secret@db.example:port/frontrow", "must be a postgres:// URL"],
  ["postgres://me:secr#et@db.example/frontrow", "write %23"],
  ["postgres://me:secr/et@db.example/frontrow", "%2F"],
  ["postgres://me:7/secret@db.example/frontrow", "%2F"],
  ["postgres://me:7?secret@db.example/frontrow", "%3F"],
  ["postgres://me:7?sslmode=secret@db.example/frontrow", "%3F"],
  ["postgres://me@work:7?host=secret@db.example/frontrow", "%3F"],
  ["postgres://me:7?sslmode=verify-full&sslrootcert=/secret@db.example/frontrow", "%3F"],
  ["postgres://me:100%secret@db.example/frontrow", "%25"],
  ["postgres://me:secret%@db.example/frontrow", "%25"],
  ["postgres://me:secret%E4t@db.example/frontrow", "%25"],
  ["postgres://me:secret@one.example,two.example/frontrow", "several hosts"],
  ["postgres://me:secret@one.example:5432,two.example:5433/frontrow?target_session_attrs=read-write", "several hosts"],
  ["postgres://me:secret@/frontrow?host=one.example,two.example", "several hosts"],
  ["?sslmode=no-verify", "sslmode=no-verify"],
  ["?sslmode=Require", "sslmode=Require"],
  ["?target_session_attrs=standby", "target_session_attrs=standby"],
  ["?channel_binding=maybe", "channel_binding=maybe"],
  ["?connect_timeout=10", "connect_timeout"],
  ["?pgbouncer=true", "pgbouncer"],
  ["?statement_timeout=1", "statement_timeout"],
  ["?sslmode=verify-ca", "needs sslrootcert"],
  ["?sslrootcert=/ca.pem", "needs sslmode"],
  ["?sslmode=prefer&sslrootcert=/ca.pem", "needs sslmode"],
  ["?sslmode=require&sslrootcert=system", "needs sslmode=verify-full"],
  ["?sslmode=verify-full&sslrootcert=/no/such/ca.pem", "/no/such/ca.pem"],
  ["?sslmode=require&sslcert=/no/such/cert.pem", "/no/such/cert.pem"],
])("%s is refused, and the reason names what", (url, reason) => {
  expect(problemOf(url)).toContain(reason);
  expect(problemOf(url)).not.toMatch(/secr/);
}); // biome-ignore format: a table

test.each([
  ["postgres:///frontrow?host=/var/run/postgresql", { host: "/var/run/postgresql", database: "frontrow", ssl: false }],
  ["postgres://me@/frontrow?host=/tmp&port=5433", { host: "/tmp", port: 5433, user: "me", ssl: false }],
  ["postgres://me@%2Ftmp/front%20row?sslmode=require", { host: "/tmp", user: "me", database: "front row", ssl: false }],
  ["postgres://me:a%23b%3Fc%2Cd@[::1]:7/d", { host: "::1", port: 7, password: "a#b?c,d", database: "d" }],
  ["postgres://me@h/d?sslmode=disable", { ssl: false }],
  ["postgres://me@h/d?sslmode=require", { ssl: { rejectUnauthorized: false } }],
  ["postgres://me@h/d?sslmode=require&channel_binding=require", { enableChannelBinding: true }],
  ["postgres://me@h/d?options=-c%20timezone%3DUTC&sslmode=disable", { options: "-c timezone=UTC" }],
])("%s is accepted, and read as libpq reads it", (url, expected) => {
  expect(problemOf(url)).toBeNull();
  expect(connectionConfig(url)).toMatchObject(expected);
}); // biome-ignore format: a table

test("only verify-full and verify-ca check certificates, and only verify-full the name", () => {
  const ca = import.meta.filename;
  const ssl = (mode: string, more = `&sslrootcert=${ca}`) =>
    connectionConfig(`postgres://h/d?sslmode=${mode}${more}`).ssl;
  expect(ssl("verify-full", "")).toEqual({});
  expect(ssl("verify-full")).toEqual({ ca: expect.stringContaining("import") });
  for (const mode of ["verify-ca", "require"]) {
    expect(ssl(mode)).toEqual({ ca: expect.any(String), checkServerIdentity: expect.any(Function) });
  }
  expect(ssl("verify-full", "&sslrootcert=system")).toEqual({ ca: expect.any(Array) });
});

test.each([
  ["postgres://me:secret@db.example:6543/frontrow?sslmode=require", "db.example:6543/frontrow"],
  ["postgres://me:secret@[::1]/frontrow?password=secret", "::1/frontrow"],
  ["postgres://me@/frontrow?host=/var/run/postgresql", "/var/run/postgresql/frontrow"],
  ["postgres:///frontrow", "the local server/frontrow"],
])("%s is described without user and password", (url, description) => {
  expect(describeServer(url)).toBe(description);
});

test.each([
  ["postgres://h/d", ["require", "disable"]],
  ["postgres://h/d?sslmode=prefer", ["require", "disable"]],
  ["postgres://h/d?sslmode=allow", ["disable", "require"]],
  ["postgres://h/d?sslmode=verify-full", ["verify-full"]],
  ["postgres://h/d?sslmode=disable", ["disable"]],
])("%s is tried with sslmode %s", (url, modes) => {
  expect(tlsVariants(url).map(sslModeOf)).toEqual(modes);
});

test("PGSSLMODE holds where the URL has no sslmode, as with libpq", () => {
  vi.stubEnv("PGSSLMODE", "verify-full");
  expect(sslModeOf("postgres://h/d")).toBe("verify-full");
  expect(sslModeOf("postgres://h/d?sslmode=disable")).toBe("disable");
});
