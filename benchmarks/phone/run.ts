/*
 * `node benchmarks/phone/run.ts`: measures what a phone makes of the product, alone, and prints the figures; `--quick` once each.
 */
import { parseArgs } from "node:util";
import { startSite, temporaryDataDir } from "../../scripts/running-site.ts";
import { ensureBuilt, ensureInstalled, findRuntime } from "../../scripts/setup.mjs";
import { tidily } from "../../scripts/tidily.ts";
import { measurePhone } from "./measure.ts";
import { reportPhone } from "./report.ts";

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
ensureInstalled();
ensureBuilt(findRuntime());

await tidily(async (running) => {
  const dataDir = await temporaryDataDir(running);
  const { origin } = await startSite(dataDir, running);
  console.log(reportPhone(await measurePhone({ origin, dataDir }, { times: quick ? 1 : 5 }, running)));
});
