/** `node dev/fake-festival-api/main.ts --help`. Options may also come from FAKE_FESTIVAL_OPTIONS. */
import { once } from "node:events";
import process from "node:process";
import { readOptions, usage } from "./options.ts";
import { UsageError } from "./rule-options.ts";
import { startFakeFestivalApi } from "./server.ts";

async function main(): Promise<void> {
  const { help, ...options } = readOptions(process.argv.slice(2), process.env.FAKE_FESTIVAL_OPTIONS);
  if (help) return console.log(usage);
  const fake = await startFakeFestivalApi(options);
  console.log(`FESTIVAL_API_URL=${fake.url}
FESTIVAL_API_KEY=${fake.key}
FESTIVAL_API_SECRET=${fake.secret}
ALLOW_LOOPBACK_PROVIDERS=1`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await fake.close();
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
  else console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
