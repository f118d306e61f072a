import { expect, test } from "vitest";
import { settings } from "../config/environment.server.ts";
import { describeSettings } from "./check-config.ts";

const databaseUrl = "postgres://hush:hush@db.example:5432/front_row?password=hush";

/** Each setting gets the first value that it accepts. New settings get a text that must not be printed. */
const candidates = `hush https://hush.example ${databaseUrl} hush@hush.example 1 ::1 info text`.split(" ");

/** Public settings. All others must be marked as secret in the schema, and are not printed. */
const printed =
  `ORIGIN DATA_DIR PG_BIN OPERATOR_NAME OPERATOR_ADDRESS OPERATOR_EMAIL PUBLIC_CLIENT_KEY FESTIVAL_API_URL
  GOOGLE_ISSUER GOOGLE_CLIENT_ID GITHUB_URL GITHUB_API_URL GITHUB_CLIENT_ID REDIRECT_URLS RELEASES_URL NO_PROXY
  NODE_USE_ENV_PROXY NODE_EXTRA_CA_CERTS`.split(/\s+/);

test("no setting is described by its value unless anybody may read it", () => {
  const variables = Object.fromEntries(
    Object.entries(settings.shape).map(([name, schema]) => {
      const value = candidates.find((text) => schema.safeParse(text).success);
      expect(value, name).toBeDefined();
      return [name, value];
    }),
  );
  const described = describeSettings(variables, {});
  expect(Object.keys(described)).toEqual(Object.keys(variables));
  expect(Object.keys(described).filter((name) => described[name]?.includes("hush"))).toEqual(printed);
  expect(described).toMatchObject({
    METRICS_TOKEN: "set, not shown (settings file)",
    DATABASE_URL: "db.example:5432/front_row, user and password not shown (settings file)",
  });
});

test("a setting is described as it is read, with its source, and a bad one without its value", () => {
  const environment = {
    PORT: " 4000 ",
    HOST: "hush",
    GITHUB_URL: "https://git.example/",
    METRICS_TOKEN: " ",
  };
  const file = { HSTS_SUBDOMAINS: "1", TRUSTED_PROXIES: "127.0.0.1,::1", DATABASE_URL: "mysql://u:hush@h/d" };
  expect(describeSettings({ ...environment, ...file }, environment)).toMatchObject({
    PORT: "4000 (environment)",
    HOST: "bad (environment)",
    GITHUB_URL: "https://git.example (environment)",
    METRICS_TOKEN: "not set",
    HSTS_SUBDOMAINS: "1 (settings file)",
    TRUSTED_PROXIES: "127.0.0.1, ::1 (settings file)",
    DATABASE_URL: "bad (settings file)",
    DATA_DIR: "./data (default)",
    REDIRECT_URLS: "none (default)",
    MODERATION_WEBHOOK_TEXT: "0 (default)",
  });
});
