import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError } from "./config-error.server.ts";
import { readEnvFile } from "./env-file.server.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "front-row-env-"));
  file = join(folder, ".env");
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(content: string | Buffer): Record<string, string> {
  writeFileSync(file, content);
  return readEnvFile(file);
}

test.each([
  ["a byte order mark", "\uFEFFPORT=4000\nLOG_LEVEL=warn\n"],
  ["Windows line ends", "PORT=4000\r\nLOG_LEVEL=warn\r\n"],
  ["both", "\uFEFF# settings\r\n\r\nPORT=4000\r\nLOG_LEVEL=warn"],
  ["old Macintosh line ends", "PORT=4000\rLOG_LEVEL=warn\r"],
  ["spaces, tabs and no-break spaces", "  PORT =\t4000 \nLOG_LEVEL=\u00a0warn\u00a0"],
  ["export", "export PORT=4000\n  export LOG_LEVEL=warn"],
  ["quotes and comments", "PORT='4000' # where\nLOG_LEVEL=\"warn\"\t#how much\n#LOG_LEVEL=info"],
])("the file may have %s", (_what, content) => {
  expect(read(content)).toEqual({ PORT: "4000", LOG_LEVEL: "warn" });
});

test.each([
  ["postgres://u:p%23w@h/d?a=b", "postgres://u:p%23w@h/d?a=b"],
  ["ab== # openssl rand", "ab=="],
  ["# unset", ""],
])("%s is read whole", (written, value) => {
  expect(read(`SECRET= ${written}\n`)).toEqual({ SECRET: value });
});

test.each([
  ["a # in an unquoted value", "SECRET=hush#hush", /line 1: SECRET needs quotes/],
  ["a # at its beginning", "PORT=1\nSECRET=#hush", /line 2: SECRET needs quotes/],
  ["text behind the closing quote", 'SECRET="hush"hush', /line 1: SECRET needs quotes/],
  ["a missing closing quote", "SECRET='hush\nPORT=1", /line 1: SECRET needs quotes/],
  ["a colon for an equals sign", "\nSECRET: hush", /line 2: must be NAME=value/],
  ["no name", "=hush", /line 1: must be NAME=value/],
  ["more than one bad line", "A=hush#y\nB=1\nC: 2\n", /line 1: A .*\n.*line 3: /],
])("%s is refused, by its line and without the value", (_what, content, message) => {
  expect(() => read(content)).toThrow(ConfigError);
  expect(() => read(content)).toThrow(message);
  expect(() => read(content)).not.toThrow(/hush/);
});

test.each([
  ["UTF-16, as Windows writes it", Buffer.from("\uFEFFPORT=4000", "utf16le"), /UTF-8/],
  ["Latin-1", Buffer.from("SECRET=caf\xe9", "latin1"), /UTF-8/],
  ["UTF-16 without a mark", Buffer.from("PORT=4000", "utf16le"), /line 1/],
])("a file in %s is refused", (_what, content, message) => {
  expect(() => read(content)).toThrow(message);
});

test("a missing file is empty, and one that cannot be read is refused in one line", () => {
  expect(readEnvFile(file)).toEqual({});
  mkdirSync(file);
  expect(() => readEnvFile(file)).toThrow(/^The settings file .* cannot be read \(EISDIR\).*$/);
});

test("any value is read whole, or its line is refused", () => {
  const value = fc.string({ unit: fc.constantFrom(..."aB1 #\"'`\\=$%\t") }); // without n, so no \\n
  fc.assert(
    fc.property(value, fc.constantFrom("", "'", '"', "`"), (value, quote) => {
      fc.pre(!/\s#/.test(value)); // begins a comment
      let found: Record<string, string>;
      try {
        found = read(`SECRET=${quote}${value}${quote}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        return;
      }
      // A value that is quoted as a whole loses its quotes.
      const own = quote === "" ? /^\s*(["'`])(.*)\1\s*$/.exec(value)?.[2] : undefined;
      expect(found).toEqual({ SECRET: own ?? (quote === "" ? value.trim() : value) });
    }),
  );
});
