import { isLoopback } from "../lib/loopback.server.ts";
import { type Config, ConfigError, type FestivalApiConfig, type SignInConfig } from "./environment.server.ts";

/**
 * The outside worlds that a server in earnest needs: the festival's API, and of the providers each that it offers.
 * @throws ConfigError where the festival's credentials are missing, or where it would talk to a stand-in on this machine,
 * or to anybody over http, without being told to
 */
export function requireProductionCredentials({ festivalApi, signIn, allowLoopbackProviders }: Config): FestivalApiConfig {
  if (!festivalApi) {
    throw new ConfigError(
      "Set FESTIVAL_API_KEY and FESTIVAL_API_SECRET: the festival gives them out. (npm start does without, on invented shows.)",
    );
  }
  const urls: [string, string][] = [["FESTIVAL_API_URL", festivalApi.url], ...providerUrls(signIn)];
  for (const [name, url] of allowLoopbackProviders ? [] : urls) {
    if (isLoopback(url)) {
      throw new ConfigError(
        `${name} is on this machine, where it cannot be in earnest: mend it, or set ALLOW_LOOPBACK_PROVIDERS=1.`,
      );
    }
  }
  for (const [name, url] of providerUrls(signIn)) {
    if (new URL(url).protocol !== "https:" && !isLoopback(url)) {
      throw new ConfigError(`${name} must be an https URL: over http anybody on the way could sign in as anybody.`);
    }
  }
  return festivalApi;
}

/** Of the providers that are offered. */
function providerUrls({ google, github }: SignInConfig): [string, string][] {
  return [
    ...(google ? [["GOOGLE_ISSUER", google.issuer] satisfies [string, string]] : []),
    ...(github
      ? ([
          ["GITHUB_URL", github.url],
          ["GITHUB_API_URL", github.apiUrl],
        ] satisfies [string, string][])
      : []),
  ];
}
