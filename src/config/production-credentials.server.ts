import { isLoopback } from "../lib/loopback.server.ts";
import { ConfigError } from "./config-error.server.ts";
import type { Config, FestivalApiConfig, SignInConfig } from "./environment.server.ts";

export function requireOperator({ operator }: Config): void {
  if (operator) return;
  throw new ConfigError(
    "Set OPERATOR_NAME, OPERATOR_ADDRESS and OPERATOR_EMAIL, which the site shows to its visitors. (npm start needs none: it says that it is a demo.)",
  );
}

export function requireDatabase({ databaseUrl }: Config): void {
  if (databaseUrl) return;
  throw new ConfigError(
    "Set DATABASE_URL to a PostgreSQL database, as docs/operations/install-and-upgrade.md says. (npm start needs none: it brings its own.)",
  );
}

export function requireProductionCredentials(config: Config): FestivalApiConfig {
  const { festivalApi, signIn, allowLoopbackProviders } = config;
  if (!festivalApi) {
    throw new ConfigError(
      "Set FESTIVAL_API_KEY and FESTIVAL_API_SECRET, which the festival issues. (npm start needs none: its shows are fake.)",
    );
  }
  const festival: [string, string] = ["FESTIVAL_API_URL", festivalApi.url];
  for (const [name, url] of [festival, ...providerUrls(signIn)]) {
    requireHttps(name, url);
    if (isLoopback(url) && !allowLoopbackProviders) {
      throw new ConfigError(
        `${name} points to this machine, which production refuses. Change it, or set ALLOW_LOOPBACK_PROVIDERS=1 for a test.`,
      );
    }
  }
  return festivalApi;
}

/** On this machine, http is safe. */
export function requireHttps(name: string, url: string): void {
  if (new URL(url).protocol === "https:" || isLoopback(url)) return;
  throw new ConfigError(
    `${name} must be an https URL: over http an attacker on the network could change the list or sign in as any user.`,
  );
}

function providerUrls({ google, github }: SignInConfig): [string, string][] {
  const urls = { GOOGLE_ISSUER: google?.issuer, GITHUB_URL: github?.url, GITHUB_API_URL: github?.apiUrl };
  return Object.entries(urls).flatMap(([name, url]) => (url ? [[name, url]] : []));
}
