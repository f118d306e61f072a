import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSite } from "../support/site.ts";
import { canMountDisks } from "../support/small-disk.ts";
import { prepareSmallDisk, surviveFullDisk } from "../support/survive-full-disk.ts";

describe.skipIf(!canMountDisks())(
  "when the disk under the embedded database is full (where a test may mount one)",
  () => {
    let disk: Awaited<ReturnType<typeof prepareSmallDisk>>;
    beforeAll(async () => {
      disk = await prepareSmallDisk();
    });
    afterAll(() => disk.close());

    test("the site does not start, and says why in one line", async () => {
      await disk.fill();
      for (const dataDir of [disk.dataDir, path.join(disk.folder, "new")]) {
        const starting = startSite({ DATA_DIR: dataDir });
        const said = await starting.then(
          () => "It started",
          (error: Error) => error.message,
        );
        const lines = said.split("\n").slice(1);
        expect(lines.filter((line) => !line.startsWith("{"))).toEqual([
          expect.stringMatching(/^The embedded database .*No space left on device/i),
        ]);
      }
    });

    test("reading goes on, writes are refused in time, and all works again when there is space, without a restart", async () => {
      await disk.free();
      await surviveFullDisk(disk, disk.dataDir, 1_000);
    });
  },
);
