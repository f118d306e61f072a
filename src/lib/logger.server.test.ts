import pg from "pg";
import { expect, test } from "vitest";
import { createLogger } from "./logger.server.ts";

test("a database error is logged with its code and stack, without the values that it quotes", () => {
  const lines: string[] = [];
  const error = new pg.DatabaseError("duplicate key value violates unique constraint", 1, "error");
  Object.assign(error, { code: "23505", detail: "Key (email)=(wren@people.example) already exists." });
  createLogger("info", { write: (line) => void lines.push(line) }).error({ err: error }, "Request failed");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    msg: "Request failed",
    err: { type: "error", code: "23505", stack: expect.stringContaining("duplicate key value") },
  });
  expect(lines.join()).not.toContain("wren@people.example");
});
