import { runRefreshCommand } from "./refresh.ts";

// For `bin/refresh` of a package, which has no invented programme.
process.exitCode = await runRefreshCommand(process.argv.slice(2), async () => null);
