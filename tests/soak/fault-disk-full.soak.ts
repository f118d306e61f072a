import { expect, test } from "vitest";
import { printFigure } from "../support/print-figure.ts";
import { canMountDisks } from "../support/small-disk.ts";
import { prepareSmallDisk, surviveFullDisk } from "../support/survive-full-disk.ts";
import { expectWithin } from "./quiet-ratio.ts";

/** The time after which a review is refused, in ms. */
const DEADLINE = 10_000;

/** The longest pause before the database is started again, in ms, and the time that this takes. */
const LONGEST_RESTART_PAUSE = 30_000;

test.skipIf(!canMountDisks())(
  "recovers after the disk of the embedded database was full for a minute",
  async () => {
    const disk = await prepareSmallDisk();
    const result = await surviveFullDisk(disk, disk.dataDir, 60_000).finally(disk.close);
    const name = (what: string) => `disk full for a minute, ${what}`;
    const writes = { quiet: result.slowestBefore, factor: 20 };
    printFigure(name("successful reads"), result.reads, "responses");
    printFigure(name("refused writes"), result.refusals, "responses");
    printFigure(name("other log lines"), result.logLines, "lines");
    expectWithin(name("slowest refusal"), result.slowestRefusal, { ...writes, limit: DEADLINE });
    expectWithin(name("from free space to a stored review"), result.writtenAfter, {
      ...writes,
      limit: LONGEST_RESTART_PAUSE,
    });
    expect(result.logLines).toBeLessThan(200);
  },
);
