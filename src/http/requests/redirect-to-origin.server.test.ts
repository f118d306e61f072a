import { Hono } from "hono";
import { pino } from "pino";
import { expect, test } from "vitest";
import { redirectToOrigin } from "./redirect-to-origin.server.ts";

test.each([0, 900, 2_500, 30_000, 6 * 3_600_000])(
  "one client is redirected at each visit, and nothing is warned of, with %i ms between them",
  async (pause) => {
    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    let time = 1;
    const app = new Hono();
    app.use(redirectToOrigin({ origin: "https://rows.example", log, now: () => time }));
    app.get("*", (c) => c.text("the page"));
    for (let visit = 0; visit < (pause === 0 ? 4 : 20); visit++) {
      const headers = { Host: "192.0.2.7:3000", "X-Forwarded-For": "198.51.100.3" };
      const response = await app.request("http://192.0.2.7:3000/?search=moth", { headers });
      expect([visit, response.status, response.headers.get("Location")]).toEqual([
        visit,
        302,
        "https://rows.example/?search=moth",
      ]);
      time += pause;
    }
    expect(logged).toEqual([]);
  },
);
