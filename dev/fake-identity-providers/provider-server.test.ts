import { expect, onTestFinished, test, vi } from "vitest";
import type { Endpoint, Fault, IdentityFaults } from "./faults.ts";
import { startFakeGithub } from "./github.ts";
import { startFakeGoogle } from "./google.ts";

const redirectUris = ["http://127.0.0.1:9/auth/v1/callback"];

interface RunningProvider {
  faults: IdentityFaults;
  requests: string[];
  close(): Promise<void>;
}

type Address = readonly [method: string, url: string];

async function start(): Promise<[RunningProvider, [Endpoint, Address][]][]> {
  const google = await startFakeGoogle({ redirectUris });
  const github = await startFakeGithub({ redirectUris });
  onTestFinished(() => Promise.all([google.close(), github.close()]).then());
  return [
    [
      google,
      [
        ["discovery", ["GET", `${google.issuer}/.well-known/openid-configuration`]],
        ["jwks", ["GET", `${google.issuer}/jwks`]],
        ["token", ["POST", `${google.issuer}/token`]],
        ["user", ["GET", `${google.issuer}/me`]],
      ],
    ],
    [
      github,
      [
        ["token", ["POST", `${github.url}/login/oauth/access_token`]],
        ["user", ["GET", `${github.apiUrl}/user`]],
        ["emails", ["GET", `${github.apiUrl}/user/emails`]],
      ],
    ],
  ];
}

function call([method, url]: Address): Promise<Response> {
  return fetch(url, { method });
}

/** Gives each endpoint the fault in turn. Calls `check` with its address and those of the others. */
async function withFault(
  fault: Fault,
  check: (address: Address, others: Address[]) => Promise<void>,
): Promise<void> {
  for (const [{ faults }, addresses] of await start()) {
    for (const [endpoint, address] of addresses) {
      faults.endpoints.set(endpoint, fault);
      await check(
        address,
        addresses.filter(([name]) => name !== endpoint).map(([, other]) => other),
      );
      faults.endpoints.delete(endpoint);
    }
  }
}

test("only the endpoint with the fault responds with an error page", async () => {
  await withFault({ kind: "status", status: 503 }, async (address, others) => {
    const response = await call(address);
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.text()).toContain("<html>");
    for (const other of others) expect((await call(other)).status).not.toBe(503);
  });
});

test("an endpoint sends an endless response", async () => {
  await withFault({ kind: "endless" }, async (address) => {
    const { body } = await call(address);
    let length = 0;
    for await (const chunk of body ?? []) {
      length += chunk.length;
      if (length > 1_000_000) break;
    }
    expect(length).toBeGreaterThan(1_000_000);
  });
});

test.each<Fault>([{ kind: "hang" }, { kind: "slow", ms: 3_600_000 }, { kind: "endless" }])(
  "close() ends responses that do not start or do not end: $kind",
  async (fault) => {
    for (const [{ faults, requests, close }, addresses] of await start()) {
      const pending = addresses.map(([endpoint, address]) => {
        faults.endpoints.set(endpoint, fault);
        return call(address).then((response) => response.text());
      });
      const outcome = Promise.allSettled(pending);
      await vi.waitUntil(() => requests.length === pending.length, 10_000);
      await close();
      expect((await outcome).map(({ status }) => status)).toEqual(pending.map(() => "rejected"));
    }
  },
);
