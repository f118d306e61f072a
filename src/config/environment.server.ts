import { isIP } from "node:net";
import { z } from "zod";
import { findUrlProblem } from "../database/connection/database-url.server.ts";
import type { Operator } from "../domain/operator.ts";
import { isNetwork } from "../http/clients/client-address.server.ts";
import { ConfigError } from "./config-error.server.ts";
import { readEnvFile } from "./env-file.server.ts";
import { applyNetworkSettings } from "./network-settings.server.ts";
import {
  originSetting,
  redirectUrlSetting,
  serverUrlSetting,
  webhookUrlSetting,
} from "./url-settings.server.ts";

const text = z.string().trim();
const optionalText = text.min(1).optional();
const flagWithDefault = (value: "0" | "1") =>
  z
    .enum(["0", "1"], { error: "must be 0 or 1" })
    .default(value)
    .transform((text) => text === "1");
const flag = flagWithDefault("0");
const databaseUrl = text.superRefine((url, context) => {
  const problem = findUrlProblem(url);
  if (problem) context.addIssue({ code: "custom", message: problem });
});
/** Without a slash at its end: paths are appended. */
const baseUrlSetting = serverUrlSetting.transform((url) => url.replace(/\/+$/, ""));

const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(item))
    .default([]);

/** conda and csh export HOST, containers export PORT, and the environment overrides the settings file. */
const setByOthers = (name: string) => `; if another tool has set it in the environment, unset ${name} there`;

/** Never printed. */
const secret = <T extends z.ZodType>(setting: T) => setting.meta({ secret: true });

export const settings = z.object({
  PORT: text
    .refine((port) => /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536, {
      error: `must be a port number from 1 to 65535${setByOthers("PORT")}`,
    })
    .transform(Number)
    .default(3000),
  HOST: text
    .refine((host) => host === "localhost" || isIP(host) > 0, {
      error: `must be an IP address to listen on, or localhost${setByOthers("HOST")}`,
    })
    .default("127.0.0.1"),
  ORIGIN: originSetting.optional(),
  DATA_DIR: text.min(1).default("./data"),
  DATABASE_URL: secret(databaseUrl.optional()),
  DATABASE_DIRECT_URL: secret(databaseUrl.optional()),
  DATABASE_POOL_SIZE: text
    .regex(/^[1-9]\d?$/, { error: "must be a number of connections from 1 to 99" })
    .transform(Number)
    .default(10),
  PG_BIN: optionalText,
  OPERATOR_NAME: optionalText,
  OPERATOR_ADDRESS: optionalText,
  OPERATOR_EMAIL: text.pipe(z.email({ error: "must be an e-mail address" })).optional(),
  PUBLIC_CLIENT_KEY: text.min(1).default("front-row-public"),
  FESTIVAL_API_URL: originSetting.default("https://api.edinburghfestivalcity.com"),
  FESTIVAL_API_KEY: secret(optionalText),
  FESTIVAL_API_SECRET: secret(optionalText),
  GOOGLE_ISSUER: serverUrlSetting.default("https://accounts.google.com"),
  GOOGLE_CLIENT_ID: optionalText,
  GOOGLE_CLIENT_SECRET: secret(optionalText),
  GITHUB_URL: baseUrlSetting.default("https://github.com"),
  GITHUB_API_URL: baseUrlSetting.default("https://api.github.com"),
  GITHUB_CLIENT_ID: optionalText,
  GITHUB_CLIENT_SECRET: secret(optionalText),
  REDIRECT_URLS: listOf(redirectUrlSetting),
  TRUSTED_PROXIES: listOf(
    z.string().refine(isNetwork, {
      error: ({ input }) => `${input} is no address and no network such as 10.0.0.0/8`,
    }),
  ),
  HSTS_SUBDOMAINS: flag,
  ALLOW_LOOPBACK_PROVIDERS: flag,
  OFFLINE: flagWithDefault("1"),
  METRICS_TOKEN: secret(text.min(16, { error: "must have at least 16 characters" }).optional()),
  MODERATION_WEBHOOK_URL: secret(webhookUrlSetting.optional()),
  MODERATION_WEBHOOK_TEXT: flag,
  MODERATION_WEBHOOK_FORMAT: z.enum(["all", "text"]).default("all"),
  RELEASES_URL: webhookUrlSetting.optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  // Read by network-settings.server.ts. The URL of a proxy may have a password.
  HTTP_PROXY: secret(optionalText),
  HTTPS_PROXY: secret(optionalText),
  NO_PROXY: optionalText,
  NODE_USE_ENV_PROXY: optionalText,
  NODE_EXTRA_CA_CERTS: optionalText,
});

type Environment = z.infer<typeof settings>;

const credentialPairs = [
  ["FESTIVAL_API_KEY", "FESTIVAL_API_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"],
] as const;

const operatorVariables = ["OPERATOR_NAME", "OPERATOR_ADDRESS", "OPERATOR_EMAIL"];

/** A variable that needs another one, if it has this value (undefined: any). */
const dependents = [
  ["DATABASE_DIRECT_URL", undefined, "DATABASE_URL"],
  ["MODERATION_WEBHOOK_TEXT", "1", "MODERATION_WEBHOOK_URL"],
  ["MODERATION_WEBHOOK_FORMAT", "text", "MODERATION_WEBHOOK_URL"],
] as const;

export type Config = ReturnType<typeof toConfig>;

export type FestivalApiConfig = NonNullable<Config["festivalApi"]>;

export type SignInConfig = Config["signIn"];

export type GoogleConfig = NonNullable<SignInConfig["google"]>;

export type GithubConfig = NonNullable<SignInConfig["github"]>;

export type WebhookConfig = NonNullable<Config["moderationWebhook"]>;

/** Also applies the settings of Node itself. @throws ConfigError listing every bad line or variable */
export function loadConfig(): Config {
  const variables = readEnvironment();
  applyNetworkSettings(variables);
  return parseConfig(variables);
}

/** The environment overrides the settings file. @throws ConfigError listing every bad line */
export function readEnvironment(file = process.env.SETTINGS_FILE || ".env", environment = process.env) {
  return { ...environment, ...readEnvFile(file), ...withoutEmpty(environment) };
}

/** Empty variables count as unset: compose files pass on unset variables as empty ones. */
function withoutEmpty(variables: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
}

export function parseConfig(variables: NodeJS.Dict<string>): Config {
  const problems = findProblems(variables);
  if (problems.length > 0) throw new ConfigError("The configuration is invalid", problems);
  return toConfig(settings.parse(withoutEmpty(variables)));
}

export function findProblems(variables: NodeJS.Dict<string>): string[] {
  const nonEmpty = withoutEmpty(variables);
  const issues = settings.safeParse(nonEmpty).error?.issues ?? [];
  return [...issues.map(({ path, message }) => `${path.join(".")}: ${message}`), ...findIncomplete(nonEmpty)];
}

function findIncomplete(variables: NodeJS.Dict<string>): string[] {
  const isSet = (name: string) => variables[name] !== undefined;
  const isPartial = (names: readonly string[]) => names.some(isSet) && !names.every(isSet);
  return [
    ...credentialPairs.filter(isPartial).map((pair) => `${pair.join(" and ")}: set both or neither`),
    ...[operatorVariables].filter(isPartial).map((names) => `${names.join(", ")}: set all or none`),
    ...dependents
      .filter(
        ([name, value = variables[name], other]) => isSet(name) && variables[name] === value && !isSet(other),
      )
      .map(([name, , other]) => `${name}: needs ${other} beside it`),
  ];
}

function toConfig(env: Environment) {
  const local = localOrigins(env);
  return {
    port: env.PORT,
    host: env.HOST,
    origin: env.ORIGIN ?? local[0],
    /** The default origin is wrong where a port is forwarded under another number. */
    isOriginConfigured: env.ORIGIN !== undefined,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    /** Past a pooler that lends connections by transaction. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    /** For requests. Notifications and the job queue have their own connections. */
    databasePoolSize: env.DATABASE_POOL_SIZE,
    /** The folder of `pg_dump` and `pg_restore`, in place of the PATH. */
    pgBin: env.PG_BIN,
    operator: operatorOf(env),
    publicClientKey: env.PUBLIC_CLIENT_KEY,
    festivalApi:
      env.FESTIVAL_API_KEY && env.FESTIVAL_API_SECRET
        ? { url: env.FESTIVAL_API_URL, key: env.FESTIVAL_API_KEY, secret: env.FESTIVAL_API_SECRET }
        : null,
    signIn: signInConfig(env),
    /** Sign-ins may return to any URL of these (docs/product.md §6.8). */
    redirectOrigins: env.ORIGIN ? [env.ORIGIN] : local,
    redirectUrls: env.REDIRECT_URLS,
    trustedProxies: env.TRUSTED_PROXIES,
    hstsSubdomains: env.HSTS_SUBDOMAINS,
    /** Whether browsers save the list for use offline. */
    offline: env.OFFLINE,
    allowLoopbackProviders: env.ALLOW_LOOPBACK_PROVIDERS,
    /** For `/metrics`; null allows loopback clients only. */
    metricsToken: env.METRICS_TOKEN ?? null,
    moderationWebhook: env.MODERATION_WEBHOOK_URL
      ? {
          url: env.MODERATION_WEBHOOK_URL,
          hasText: env.MODERATION_WEBHOOK_TEXT,
          format: env.MODERATION_WEBHOOK_FORMAT,
        }
      : null,
    /** Where `status` looks for a newer version. */
    releasesUrl: env.RELEASES_URL,
    logLevel: env.LOG_LEVEL,
  };
}

/** The hosts that answer; the first one is printed. */
const localHosts: Record<string, string[]> = {
  "127.0.0.1": ["localhost", "127.0.0.1"],
  "0.0.0.0": ["localhost", "127.0.0.1"],
  localhost: ["localhost", "127.0.0.1", "[::1]"],
  "::": ["localhost", "127.0.0.1", "[::1]"],
};

/** Without ORIGIN the site is local, and opened at any host that answers. */
function localOrigins({ HOST, PORT }: Environment): [string, ...string[]] {
  const [first = HOST, ...others] = localHosts[HOST] ?? [
    HOST.includes(":") ? `[${HOST.replace(/%.*/, "")}]` : HOST,
  ];
  const originOf = (name: string) => new URL(`http://${name}:${PORT}`).origin;
  return [originOf(first), ...others.map(originOf)];
}

function operatorOf(env: Environment): Operator | null {
  const { OPERATOR_NAME: name, OPERATOR_ADDRESS: address, OPERATOR_EMAIL: email } = env;
  return name && address && email ? { name, address, email } : null;
}

function signInConfig(env: Environment) {
  const { GOOGLE_ISSUER: issuer, GITHUB_URL: url, GITHUB_API_URL: apiUrl } = env;
  const google = credentials(env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET);
  const github = credentials(env.GITHUB_CLIENT_ID, env.GITHUB_CLIENT_SECRET);
  return { google: google && { issuer, ...google }, github: github && { url, apiUrl, ...github } };
}

function credentials(clientId: string | undefined, clientSecret: string | undefined) {
  return clientId && clientSecret ? { clientId, clientSecret } : null;
}
