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

const flag = z.enum(["0", "1"], { error: "must be 0 or 1" }).default("0");
const databaseUrl = z
  .string()
  .trim()
  .superRefine((url, context) => {
    const problem = findUrlProblem(url);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });
const optionalText = z.string().trim().min(1).optional();

/** A list whose items are separated by commas or white space. */
const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(item))
    .default([]);

/** conda and csh export HOST, containers export PORT, and both go before the settings file. */
const setByOthers = (name: string) => `; if another tool has set it in the environment, unset ${name} there`;

const environment = z.object({
  PORT: z
    .string()
    .trim()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536, {
      error: `must be a port number from 1 to 65535${setByOthers("PORT")}`,
    })
    .transform(Number)
    .default(3000),
  HOST: z
    .string()
    .trim()
    .refine((text) => text === "localhost" || isIP(text) > 0, {
      error: `must be an IP address to listen on, or localhost${setByOthers("HOST")}`,
    })
    .default("127.0.0.1"),
  ORIGIN: originSetting.optional(),
  DATA_DIR: z.string().trim().min(1).default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_POOL_SIZE: z
    .string()
    .trim()
    .refine((text) => /^[1-9]\d?$/.test(text), { error: "must be a number of connections from 1 to 99" })
    .transform(Number)
    .default(10),
  OPERATOR_NAME: optionalText,
  OPERATOR_ADDRESS: optionalText,
  OPERATOR_EMAIL: z
    .string()
    .trim()
    .pipe(z.email({ error: "must be an e-mail address" }))
    .optional(),
  PUBLIC_CLIENT_KEY: z.string().trim().min(1).default("front-row-public"),
  FESTIVAL_API_URL: originSetting.default("https://api.edinburghfestivalcity.com"),
  FESTIVAL_API_KEY: optionalText,
  FESTIVAL_API_SECRET: optionalText,
  GOOGLE_ISSUER: serverUrlSetting.default("https://accounts.google.com"),
  GOOGLE_CLIENT_ID: optionalText,
  GOOGLE_CLIENT_SECRET: optionalText,
  GITHUB_URL: serverUrlSetting.default("https://github.com"),
  GITHUB_API_URL: serverUrlSetting.default("https://api.github.com"),
  GITHUB_CLIENT_ID: optionalText,
  GITHUB_CLIENT_SECRET: optionalText,
  REDIRECT_URLS: listOf(redirectUrlSetting),
  TRUSTED_PROXIES: listOf(
    z.string().refine(isNetwork, {
      error: ({ input }) => `${input} is no address and no network such as 10.0.0.0/8`,
    }),
  ),
  HSTS_SUBDOMAINS: flag,
  ALLOW_LOOPBACK_PROVIDERS: flag,
  METRICS_TOKEN: optionalText,
  MODERATION_WEBHOOK_URL: webhookUrlSetting.optional(),
  MODERATION_WEBHOOK_TEXT: flag,
  MODERATION_WEBHOOK_FORMAT: z.enum(["all", "text"]).default("all"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** Variables that must be set together. */
const credentialPairs = [
  ["FESTIVAL_API_KEY", "FESTIVAL_API_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"],
] as const;

/** The same for the operator's, of which none is needed for a demo. */
const operatorVariables = ["OPERATOR_NAME", "OPERATOR_ADDRESS", "OPERATOR_EMAIL"];

/** URL and credentials of the festival's listings API. */
export interface FestivalApiConfig {
  url: string;
  key: string;
  secret: string;
}

/** Google, or another OpenID provider, and our client registration there. */
export interface GoogleConfig {
  /** The issuer identifier, from which the discovery document's URL is derived. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** GitHub and our client registration there. */
export interface GithubConfig {
  url: string;
  apiUrl: string;
  clientId: string;
  clientSecret: string;
}

/** The providers to sign in with; null for a provider without credentials. */
export interface SignInConfig {
  google: GoogleConfig | null;
  github: GithubConfig | null;
}

/** Where the operator is told of reports (docs/product.md §13.21). */
export interface WebhookConfig {
  url: string;
  /** Whether messages have the text of reported notes. */
  hasText: boolean;
  /** The members of the body: `text` alone, or those of all services that are known. */
  format: "all" | "text";
}

export interface Config {
  port: number;
  host: string;
  /** Scheme, host and port that visitors use, without a trailing slash. */
  origin: string;
  /** False for the default, which is wrong where a port is forwarded under another number. */
  isOriginConfigured: boolean;
  dataDir: string;
  /** Undefined for the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** The same database past a pooler that lends connections by transaction; undefined if there is none. */
  databaseDirectUrl: string | undefined;
  /** The most connections for requests. Notifications and the schedule have others. */
  databasePoolSize: number;
  /** Null for a demo. */
  operator: Operator | null;
  publicClientKey: string;
  /** Null without credentials. */
  festivalApi: FestivalApiConfig | null;
  signIn: SignInConfig;
  /** A sign-in may redirect to any URL of these origins (docs/product.md §6.8) … */
  redirectOrigins: readonly string[];
  /** … and to exactly these URLs. */
  redirectUrls: readonly string[];
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** Whether browsers must use https for the subdomains of `origin` too. */
  hstsSubdomains: boolean;
  allowLoopbackProviders: boolean;
  /** The bearer token for `/metrics`; null allows loopback clients only. */
  metricsToken: string | null;
  /** Null for none. */
  moderationWebhook: WebhookConfig | null;
  logLevel: string;
}

/**
 * Reads the environment and the settings file, gives effect to what concerns Node itself, and parses the
 * rest.
 * @throws ConfigError listing every bad line or variable
 */
export function loadConfig(): Readonly<Config> {
  const variables = readEnvironment();
  applyNetworkSettings(variables);
  return parseConfig(variables);
}

/**
 * Merges the process's environment with a `.env` file. The environment takes precedence, except for empty
 * variables.
 * @throws ConfigError listing every bad line
 */
export function readEnvironment(file = ".env", environment = process.env): NodeJS.Dict<string> {
  return { ...environment, ...readEnvFile(file), ...withoutEmpty(environment) };
}

/** Empty variables count as unset: compose files pass on what nobody has set. */
function withoutEmpty(variables: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
}

/**
 * Parses environment variables into a frozen configuration.
 * @throws ConfigError listing every bad variable
 */
export function parseConfig(variables: NodeJS.Dict<string>): Readonly<Config> {
  const nonEmpty = withoutEmpty(variables);
  const parsed = environment.safeParse(nonEmpty);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  for (const [first, second] of credentialPairs) {
    if (Boolean(nonEmpty[first]) !== Boolean(nonEmpty[second]))
      problems.push(`${first} and ${second}: set both or neither`);
  }
  const operatorsSet = operatorVariables.filter((name) => nonEmpty[name]).length;
  if (operatorsSet > 0 && operatorsSet < operatorVariables.length)
    problems.push(`${operatorVariables.join(", ")}: set all or none`);
  if (nonEmpty.DATABASE_DIRECT_URL && !nonEmpty.DATABASE_URL)
    problems.push("DATABASE_DIRECT_URL: needs DATABASE_URL beside it");
  if (nonEmpty.MODERATION_WEBHOOK_TEXT === "1" && !nonEmpty.MODERATION_WEBHOOK_URL)
    problems.push("MODERATION_WEBHOOK_TEXT: needs MODERATION_WEBHOOK_URL beside it");
  if (nonEmpty.MODERATION_WEBHOOK_FORMAT === "text" && !nonEmpty.MODERATION_WEBHOOK_URL)
    problems.push("MODERATION_WEBHOOK_FORMAT: needs MODERATION_WEBHOOK_URL beside it");
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError("The configuration is invalid", problems);
  }
  const env = parsed.data;
  return Object.freeze({
    port: env.PORT,
    host: env.HOST,
    origin: env.ORIGIN ?? localOrigins(env)[0],
    isOriginConfigured: env.ORIGIN !== undefined,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    operator: operatorOf(env),
    publicClientKey: env.PUBLIC_CLIENT_KEY,
    festivalApi:
      env.FESTIVAL_API_KEY && env.FESTIVAL_API_SECRET
        ? { url: env.FESTIVAL_API_URL, key: env.FESTIVAL_API_KEY, secret: env.FESTIVAL_API_SECRET }
        : null,
    signIn: signInConfig(env),
    redirectOrigins: env.ORIGIN ? [env.ORIGIN] : localOrigins(env),
    redirectUrls: env.REDIRECT_URLS,
    trustedProxies: env.TRUSTED_PROXIES,
    hstsSubdomains: env.HSTS_SUBDOMAINS === "1",
    allowLoopbackProviders: env.ALLOW_LOOPBACK_PROVIDERS === "1",
    metricsToken: env.METRICS_TOKEN ?? null,
    moderationWebhook: env.MODERATION_WEBHOOK_URL
      ? {
          url: env.MODERATION_WEBHOOK_URL,
          hasText: env.MODERATION_WEBHOOK_TEXT === "1",
          format: env.MODERATION_WEBHOOK_FORMAT,
        }
      : null,
    logLevel: env.LOG_LEVEL,
  });
}

/** The names of this machine that answer on its loopback or on all addresses, the one to print first. */
const localHosts: Record<string, string[]> = {
  "127.0.0.1": ["localhost", "127.0.0.1"],
  "0.0.0.0": ["localhost", "127.0.0.1"],
  localhost: ["localhost", "127.0.0.1", "[::1]"],
  "::": ["localhost", "127.0.0.1", "[::1]"],
};

/** Without ORIGIN the site is local. Its user may open any address that answers. */
function localOrigins({ HOST, PORT }: z.infer<typeof environment>): [string, ...string[]] {
  const [first = HOST, ...others] = localHosts[HOST] ?? [
    HOST.includes(":") ? `[${HOST.replace(/%.*/, "")}]` : HOST,
  ];
  const originOf = (name: string) => new URL(`http://${name}:${PORT}`).origin;
  return [originOf(first), ...others.map(originOf)];
}

function operatorOf(env: z.infer<typeof environment>): Operator | null {
  const { OPERATOR_NAME: name, OPERATOR_ADDRESS: address, OPERATOR_EMAIL: email } = env;
  return name && address && email ? { name, address, email } : null;
}

function signInConfig(env: z.infer<typeof environment>): SignInConfig {
  return {
    google:
      env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET
        ? {
            issuer: env.GOOGLE_ISSUER,
            clientId: env.GOOGLE_CLIENT_ID,
            clientSecret: env.GOOGLE_CLIENT_SECRET,
          }
        : null,
    github:
      env.GITHUB_CLIENT_ID && env.GITHUB_CLIENT_SECRET
        ? {
            url: trimTrailingSlash(env.GITHUB_URL),
            apiUrl: trimTrailingSlash(env.GITHUB_API_URL),
            clientId: env.GITHUB_CLIENT_ID,
            clientSecret: env.GITHUB_CLIENT_SECRET,
          }
        : null,
  };
}

function trimTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
