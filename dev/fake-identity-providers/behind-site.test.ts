import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { type Program, runProgram } from "../../tests/support/program.ts";
import { createBrowser } from "../../tests/support/provider-sign-in.ts";
import { freePort } from "../harness/free-port.ts";

let folder: string;
let program: Program;
/** The only forwarded port. It has another number on the browser's machine. */
let forwarded: Server;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "front-row-forwarded-"));
  const [PORT, port] = [await freePort(), await freePort()];
  forwarded = createServer((client) => {
    const server = connect(PORT, "127.0.0.1");
    client.on("error", () => server.destroy()).pipe(server);
    server.on("error", () => client.destroy()).pipe(client);
  }).listen(port, "127.0.0.1");
  await once(forwarded, "listening");
  origin = `http://127.0.0.1:${port}`;
  program = runProgram("dev/start.ts", [], {
    PORT: String(PORT),
    HOST: "0.0.0.0",
    ORIGIN: origin,
    DATA_DIR: join(folder, "data"),
    FAKE_FESTIVAL_OPTIONS: "--size 60",
  });
  await program.waitForOutput("Front Row is open at");
});
afterAll(async () => {
  program.process.kill("SIGTERM");
  await program.exited;
  forwarded.close();
  rmSync(folder, { recursive: true, force: true });
});

const verifier = "a".repeat(43);

/** Signs in like a browser that reaches only the forwarded port. Resolves with its last address on the site. */
async function signIn(provider: string, form: Record<string, string>, parameters = {}): Promise<URL> {
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = {
    provider,
    redirect_to: origin,
    code_challenge,
    code_challenge_method: "s256",
    ...parameters,
  };
  const browse = createBrowser(new URL(origin).host);
  const page = await browse(`${origin}/auth/v1/authorize?${new URLSearchParams(query)}`);
  if ("left" in page) throw new Error(`The browser was sent to ${page.left}`);
  expect(page.url).toContain(`${origin}/fakes/${provider}/`);
  expect(page.text).toContain(`Who signs in to <strong>${new URL(origin).host}</strong>?`);
  const end = await browse(page.url, new URLSearchParams(form));
  if ("left" in end) throw new Error(`The browser was sent to ${end.left}`);
  return new URL(end.url);
}

async function exchange(code: string | null): Promise<string> {
  const response = await fetch(`${origin}/auth/v1/token?grant_type=pkce`, {
    method: "POST",
    headers: { apikey: "front-row-public", "Content-Type": "application/json" },
    body: JSON.stringify({ auth_code: code, code_verifier: verifier }),
  });
  return (await response.json()).access_token;
}

test.each([
  ["google", { person: "noor.malik@visitors.example" }, "noor.malik@visitors.example"],
  ["google", { email: "ada+1@people.example", verified: "yes", action: "continue" }, "ada+1@people.example"],
  ["github", { person: "isla.fraser@visitors.example" }, "isla.fraser@visitors.example"],
  ["github", { email: "émile@people.example", verified: "yes", action: "continue" }, "émile@people.example"],
])("one forwarded port is enough to sign in with %s (%o)", async (provider, form, email) => {
  const { searchParams } = await signIn(provider, form);
  expect(decodeJwt(await exchange(searchParams.get("code")))).toMatchObject({ email });
});

test("the fakes do not change the rest of the site", async () => {
  expect(await (await fetch(`${origin}/`)).text()).toContain(`Showing 1-20 of 60 shows for ${YEAR}`);
  expect((await fetch(`${origin}/fakes`)).status).toBe(404);
  expect((await fetch(`${origin}/fakes/elsewhere/auth`)).status).toBe(404);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
});

test("the console warns that everybody who reaches the port can sign in as any user", () => {
  expect(program.output()).toContain("So can everybody who reaches HOST 0.0.0.0.");
});
