import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSite } from "../support/site.ts";
import { canMountDisks } from "../support/small-disk.ts";
import { prepareSmallDisk, surviveFullDisk } from "../support/survive-full-disk.ts";

describe.skipIf(!canMountDisks())(
  "with a full disk under the embedded database (skipped where tests cannot mount disks)",
  () => {
    let disk: Awaited<ReturnType<typeof prepareSmallDisk>>;
    beforeAll(async () => {
      disk = await prepareSmallDisk();
    });
    afterAll(() => disk.close());

    test("the site does not start, and reports the reason in one line", async () => {
      await disk.fill();
      for (const dataDir of [disk.dataDir, path.join(disk.folder, "new")]) {
        const start = startSite({ DATA_DIR: dataDir });
        const output = await start.then(
          () => "The site started",
          (error: Error) => error.message,
        );
        const lines = output.split("\n").slice(1);
        expect(lines.filter((line) => !line.startsWith("{"))).toEqual([
          expect.stringMatching(/^The embedded database .*No space left on device/i),
        ]);
      }
    });

    test("reads continue, writes are refused in time, and all recovers without a restart once there is space", async () => {
      await disk.free();
      await surviveFullDisk(disk, disk.dataDir, 1_000);
    });
  },
);
