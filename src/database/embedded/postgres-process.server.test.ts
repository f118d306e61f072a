import { expect, test } from "vitest";
import { fatalError, ServerStartError } from "./postgres-process.server.ts";

const at = "2026-11-25 13:41:03.549 UTC [31939]";

test.each([
  [
    `${at} FATAL:  data directory "/d" has invalid permissions\n${at} DETAIL:  Permissions should be u=rwx (0700).\n`,
    'data directory "/d" has invalid permissions. Permissions should be u=rwx (0700).',
  ],
  [
    `${at} LOG:  starting\n${at} FATAL:  could not create any TCP/IP sockets\n${at} LOG:  database system is shut down\n`,
    "could not create any TCP/IP sockets",
  ],
  [`${at} FATAL:  first\n${at} HINT:  of the first\n${at} PANIC:  second\n`, "second"],
  ["postgres: could not find the library\n", "postgres: could not find the library"],
  [
    'creating directory\ninitdb: error: directory "/d" exists\ninitdb: hint: Remove it.\n',
    'initdb: error: directory "/d" exists',
  ],
  ["", ""],
])("a failed start is explained by its last fatal error, its detail and its hint (%#)", (output, reason) => {
  expect(fatalError(output)).toBe(reason);
  expect(new ServerStartError(output).message).toBe(reason);
});
