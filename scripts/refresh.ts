// `npm run refresh`: the command, with the fake festival API for the programme of `npm start`.
import process from "node:process";
import { runRefreshCommand } from "../src/cli/refresh.ts";

process.exitCode = await runRefreshCommand(process.argv.slice(2), async (db) => {
  const { startStandInForDemo } = await import("../dev/demo.ts");
  return startStandInForDemo(db);
});
