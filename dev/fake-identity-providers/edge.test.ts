import { expect, onTestFinished, test, vi } from "vitest";
import type { Endpoint, Fault, IdentityFaults } from "./faults.ts";
import { startGithubStandIn } from "./github.ts";
import { startGoogleStandIn } from "./google.ts";

const redirectUris = ["http://127.0.0.1:9/auth/v1/callback"];

interface StandIn {
  faults: IdentityFaults;
  requests: string[];
  close(): Promise<void>;
}

type Address = readonly [method: string, url: string];

async function start(): Promise<[StandIn, [Endpoint, Address][]][]> {
  const google = await startGoogleStandIn({ redirectUris });
  const github = await startGithubStandIn({ redirectUris });
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

function ask([method, url]: Address): Promise<Response> {
  return fetch(url, { method });
}

/** Does something with each endpoint while it has the fault, and with the others, which do not have it. */
async function withFault(fault: Fault, look: (address: Address, others: Address[]) => Promise<void>): Promise<void> {
  for (const [{ faults }, addresses] of await start()) {
    for (const [endpoint, address] of addresses) {
      faults.endpoints.set(endpoint, fault);
      await look(
        address,
        addresses.filter(([name]) => name !== endpoint).map(([, other]) => other),
      );
      faults.endpoints.delete(endpoint);
    }
  }
}

test("an endpoint answers with an error page, and only that one", async () => {
  await withFault({ kind: "status", status: 503 }, async (address, others) => {
    const response = await ask(address);
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.text()).toContain("<html>");
    for (const other of others) expect((await ask(other)).status).not.toBe(503);
  });
});

test("an endpoint answers with what is no JSON", async () => {
  await withFault({ kind: "garbage" }, async (address) => {
    const response = await ask(address);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
  });
});

test("an endpoint answers with nothing in it", async () => {
  await withFault({ kind: "empty" }, async (address) => {
    expect(await (await ask(address)).json()).toEqual({});
  });
});

test("an endpoint cuts the connection", async () => {
  await withFault({ kind: "down" }, async (address) => {
    await expect(ask(address)).rejects.toThrow("fetch failed");
  });
});

test("an endpoint is late, and answers then as it does", async () => {
  for (const [{ faults }, addresses] of await start()) {
    for (const [endpoint, address] of addresses) {
      const { status } = await ask(address);
      faults.endpoints.set(endpoint, { kind: "slow", ms: 1 });
      expect((await ask(address)).status).toBe(status);
    }
  }
});

test("an endpoint never stops sending", async () => {
  await withFault({ kind: "endless" }, async (address) => {
    const { body } = await ask(address);
    let length = 0;
    for await (const chunk of body ?? []) {
      length += chunk.length;
      if (length > 1_000_000) break;
    }
    expect(length).toBeGreaterThan(1_000_000);
  });
});

test.each<Fault>([{ kind: "hang" }, { kind: "slow", ms: 3_600_000 }, { kind: "endless" }])(
  "closing ends answers that would not come or not end: $kind",
  async (fault) => {
    for (const [{ faults, requests, close }, addresses] of await start()) {
      const asked = addresses.map(([endpoint, address]) => {
        faults.endpoints.set(endpoint, fault);
        return ask(address).then((response) => response.text());
      });
      const outcome = Promise.allSettled(asked);
      await vi.waitUntil(() => requests.length === asked.length, 10_000);
      await close();
      expect((await outcome).map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
    }
  },
);
