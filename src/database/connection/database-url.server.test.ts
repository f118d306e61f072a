import { expect, test } from "vitest";
import { connectionConfig, describeServer, findUrlProblem } from "./database-url.server.ts";

const problemOf = (url: string) =>
  findUrlProblem(url.startsWith("?") ? `postgres://me:secret@db.example/frontrow${url}` : url);

test.each([
  ["mysql://me:secret@db.example/frontrow", "must be a postgres:// URL"],
  ["host=db.example dbname=frontrow password=secret", "must be a postgres:// URL"],
  ["postgres://me:secret@db.example:port/frontrow", "cannot be read"],
  ["postgres://me:secr#et@db.example/frontrow", "write %23"],
  ["postgres://me:7/secret@db.example/frontrow", "%2F"],
  ["postgres://me:7?secret@db.example/frontrow", "%3F"],
  ["postgres://me:7?sslmode=secret@db.example/frontrow", "%3F"],
  ["postgres://me:secret%E4t@db.example/frontrow", "cannot be read"],
  ["?sslmode=verify-ca", "sslrootcert"],
  ["?sslmode=verify-full&sslrootcert=/no/such/ca.pem", "/no/such/ca.pem"],
])("%s is refused, and the reason names what", (url, reason) => {
  expect(problemOf(url)).toContain(reason);
  expect(problemOf(url)).not.toMatch(/secr/);
});

test.each([
  ["postgres:///frontrow?host=/var/run/postgresql", { host: "/var/run/postgresql", database: "frontrow" }],
  ["postgres://me@%2Ftmp/front%20row", { host: "/tmp", user: "me", database: "front row" }],
  ["postgres://me:a%23b%3Fc%2Cd%40@[::1]:7/d", { host: "::1", port: 7, password: "a#b?c,d@", database: "d" }],
  ["postgres://me@h/d?sslmode=disable", { ssl: false }],
  ["postgres://me@h/d?sslmode=require", { ssl: { rejectUnauthorized: false } }],
  ["postgres://me@h/d?options=-c%20timezone%3DUTC&sslmode=disable", { options: "-c timezone=UTC" }],
])("%s is read as libpq reads it", (url, expected) => {
  expect(problemOf(url)).toBeNull();
  expect(connectionConfig(url)).toMatchObject(expected);
});

test("only verify-full and verify-ca check certificates, and only verify-full the name", () => {
  const ca = import.meta.filename;
  const ssl = (mode: string, more = `&sslrootcert=${ca}`) =>
    connectionConfig(`postgres://h/d?sslmode=${mode}${more}`).ssl;
  expect(ssl("verify-full", "")).toEqual({});
  expect(ssl("verify-full")).toEqual({ ca: expect.stringContaining("import") });
  for (const mode of ["verify-ca", "require"])
    expect(ssl(mode)).toEqual({ ca: expect.any(String), checkServerIdentity: expect.any(Function) });
});

test.each([
  ["postgres://me:secret@db.example:6543/frontrow?sslmode=require", "db.example:6543/frontrow"],
  ["postgres://me:secret@[::1]/frontrow?password=secret", "::1/frontrow"],
  ["postgres://me@/frontrow?host=/var/run/postgresql", "/var/run/postgresql/frontrow"],
  ["postgres:///frontrow", "the local server/frontrow"],
])("%s is described without user and password", (url, description) => {
  expect(describeServer(url)).toBe(description);
});
