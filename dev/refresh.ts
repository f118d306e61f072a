// `npm run refresh`: uses the fake festival API if the stored programme came from it.
import process from "node:process";
import { runRefreshCommand } from "../src/cli/refresh.ts";

process.exitCode = await runRefreshCommand(process.argv.slice(2), async (db) => {
  const { startFakeApiForDemo } = await import("./demo.ts");
  return startFakeApiForDemo(db);
});
