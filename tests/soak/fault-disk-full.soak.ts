import { expect, test } from "vitest";
import { printFigure } from "../support/print-figure.ts";
import { canMountDisks } from "../support/small-disk.ts";
import { prepareSmallDisk, surviveFullDisk } from "../support/survive-full-disk.ts";

test.skipIf(!canMountDisks())(
  "recovers after the disk of the embedded database was full for a minute",
  async () => {
    const disk = await prepareSmallDisk();
    const result = await surviveFullDisk(disk, disk.dataDir, 60_000).finally(disk.close);
    const print = (name: string, value: number, unit: string) =>
      printFigure(`disk full for a minute, ${name}`, value, unit);
    print("successful reads", result.reads, "responses");
    print("refused writes", result.refusals, "responses");
    print("slowest refusal", result.slowestRefusal, "ms");
    print("other log lines", result.logLines, "lines");
    print("from free space to a stored review", result.writtenAfter, "ms");
    expect(result.slowestRefusal).toBeLessThan(11_000);
    expect(result.logLines).toBeLessThan(200);
    expect(result.writtenAfter).toBeLessThan(30_000);
  },
);
