import { expect, test } from "vitest";
import { printFigure } from "../support/print-figure.ts";
import { canMountDisks } from "../support/small-disk.ts";
import { prepareSmallDisk, surviveFullDisk } from "../support/survive-full-disk.ts";

test.skipIf(!canMountDisks())("the disk under the embedded database is full for a minute", async () => {
  const disk = await prepareSmallDisk();
  const full = await surviveFullDisk(disk, disk.dataDir, 60_000).finally(disk.close);
  const say = (name: string, value: number, unit: string) =>
    printFigure(`disk full for a minute, ${name}`, value, unit);
  say("pages and lists read meanwhile", full.reads, "answers");
  say("writes refused meanwhile", full.refusals, "answers");
  say("slowest of them", full.slowestRefusal, "ms");
  say("lines logged besides", full.logLines, "lines");
  say("space back until a review can be written", full.writtenAfter, "ms");
  expect(full.slowestRefusal).toBeLessThan(11_000);
  expect(full.logLines).toBeLessThan(200);
  expect(full.writtenAfter).toBeLessThan(30_000);
});
