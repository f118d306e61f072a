// `npm run refresh`: the operator's command, with the fake festival API if the programme came from it.
import process from "node:process";
import { runRefreshCommand } from "../src/cli/refresh.ts";

process.exitCode = await runRefreshCommand(process.argv.slice(2), async (db) => {
  const { startFakeApiForDemo } = await import("./demo.ts");
  return startFakeApiForDemo(db);
});
