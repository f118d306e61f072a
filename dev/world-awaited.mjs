// Runs before the server in the server's own process (`node --import`): loads what it is made of while the world is still being made, and
// lets the server begin when it is told its variables. When whoever would tell them is gone, nothing keeps the process. Plain JavaScript: the
// compiler for types would stay in the server's memory.
import { once } from "node:events";
import process from "node:process";

const told = once(process, "message");
await Promise.all([import("../build/server/app.js"), import("../build/server/site.js")]);
const [variables] = await told;
Object.assign(process.env, variables);
