import { pino } from "pino";
import { expect, test } from "vitest";
import { warnOfOldRelease } from "./binaries.server.ts";

test.each([
  ["2026-05-14T12:00:00Z", []],
  ["2026-11-10T23:59:59Z", []],
  ["2020-01-01T00:00:00Z", []], // a clock that is wrong
  ["2026-11-11T00:00:00Z", [expect.objectContaining({ level: 40, version: "18.4", days: 181 })]],
  ["2028-05-14T00:00:00Z", [expect.objectContaining({ level: 40, version: "18.4", days: 731 })]],
])("the embedded release is reported when it is more than 180 days old: %s", (now, warnings) => {
  const lines: string[] = [];
  warnOfOldRelease(pino({}, { write: (line: string) => lines.push(line) }), new Date(now));
  expect(lines.map((line) => JSON.parse(line))).toEqual(warnings);
});
