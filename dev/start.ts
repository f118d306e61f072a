/*
 * `npm start`: the product to try. It makes a world for the server to live in (database, stand-ins where there are no
 * credentials, a programme), and runs the server in it as production does, in a process of its own.
 */
import { loadServer } from "./server-process.ts";

// First of all: it loads its code while this process does, on the machine's other processor.
await using server = loadServer();
const [{ runUntilTold }, { runProduct }] = await Promise.all([import("./run.ts"), import("./product.ts")]);
await runUntilTold((signal) => runProduct(server, signal));
