import { expect, test } from "vitest";
import { createSpareBuffers } from "./spare-buffers.server.ts";

test("memory that is given back is used again, and until then nobody else has it", () => {
  const spare = createSpareBuffers();
  const first = spare.take(1_000);
  const second = spare.take(2_000);
  expect([first.length, second.length]).toEqual([1_000, 2_000]);
  expect(second.buffer).not.toBe(first.buffer);
  spare.giveBack(first);
  expect(spare.take(30_000).buffer).toBe(first.buffer);
  expect(spare.take(10).buffer).not.toBe(second.buffer);
});

test("memory of others is never handed out, however large it is", () => {
  const spare = createSpareBuffers();
  const { byteLength } = spare.take(1).buffer;
  const large = spare.take(10 * byteLength);
  expect(large).toHaveLength(10 * byteLength);
  const others = [new Uint8Array(byteLength), large];
  for (const other of others) spare.giveBack(other);
  for (let taken = 0; taken < 3; taken++)
    expect(others.map(({ buffer }) => buffer)).not.toContain(spare.take(1).buffer);
});
