import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { z } from "zod";

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });
const optionalText = z.string().trim().min(1).optional();

const environment = z.object({
  PORT: z.coerce.number({ error: "must be a port number" }).int().min(1).max(65535).default(3000),
  HOST: z.string().trim().min(1).default("127.0.0.1"),
  ORIGIN: httpUrl.optional(),
  DATA_DIR: z.string().trim().min(1).default("./data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" }).optional(),
  PUBLIC_CLIENT_KEY: z.string().trim().min(1).default("front-row-public"),
  FESTIVAL_API_URL: httpUrl.default("https://api.edinburghfestivalcity.com"),
  FESTIVAL_API_KEY: optionalText,
  FESTIVAL_API_SECRET: optionalText,
  ALLOW_LOOPBACK_PROVIDERS: z.enum(["0", "1"], { error: "must be 0 or 1" }).default("0"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** Where and as whom to ask the festival's listings API; null without credentials. */
export interface FestivalApiConfig {
  url: string;
  key: string;
  secret: string;
}

export interface Config {
  port: number;
  host: string;
  /** Scheme, host and port that visitors use, without a trailing slash. */
  origin: string;
  dataDir: string;
  /** Undefined: the embedded server in `dataDir`. */
  databaseUrl: string | undefined;
  publicClientKey: string;
  festivalApi: FestivalApiConfig | null;
  allowLoopbackProviders: boolean;
  logLevel: string;
}

/** The configuration cannot be used; the message lists every bad variable, one a line. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The process's environment over the `.env` file of the working directory. */
export function readEnvironment(file = ".env"): NodeJS.Dict<string> {
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {}), ...process.env };
}

/**
 * The whole configuration, frozen; an empty variable counts as absent.
 * @throws ConfigError naming every bad variable at once
 */
export function parseConfig(variables: NodeJS.Dict<string>): Readonly<Config> {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(present);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  if (Boolean(present.FESTIVAL_API_KEY) !== Boolean(present.FESTIVAL_API_SECRET)) {
    problems.push("FESTIVAL_API_KEY and FESTIVAL_API_SECRET: set both or neither");
  }
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(`The configuration cannot be used:\n${problems.map((line) => `  ${line}`).join("\n")}`);
  }
  const env = parsed.data;
  return Object.freeze({
    port: env.PORT,
    host: env.HOST,
    origin: new URL(env.ORIGIN ?? `http://localhost:${env.PORT}`).origin,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    publicClientKey: env.PUBLIC_CLIENT_KEY,
    festivalApi:
      env.FESTIVAL_API_KEY && env.FESTIVAL_API_SECRET
        ? { url: env.FESTIVAL_API_URL, key: env.FESTIVAL_API_KEY, secret: env.FESTIVAL_API_SECRET }
        : null,
    allowLoopbackProviders: env.ALLOW_LOOPBACK_PROVIDERS === "1",
    logLevel: env.LOG_LEVEL,
  });
}
