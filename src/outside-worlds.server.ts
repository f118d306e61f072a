import { type Config, ConfigError, type FestivalApiConfig } from "./config.server.ts";
import { isLoopback } from "./http/loopback.server.ts";

/**
 * The outside worlds that a server in earnest needs: today the festival's API.
 * @throws ConfigError where credentials are missing, or where it would talk to a stand-in on this machine without being told to
 */
export function requireOutsideWorlds({ festivalApi, allowLoopbackProviders }: Config): FestivalApiConfig {
  if (!festivalApi) {
    throw new ConfigError(
      "Set FESTIVAL_API_KEY and FESTIVAL_API_SECRET: the festival gives them out. (npm start does without, on invented shows.)",
    );
  }
  if (isLoopback(festivalApi.url) && !allowLoopbackProviders) {
    throw new ConfigError(
      "FESTIVAL_API_URL is on this machine, where the festival is not: mend it, or set ALLOW_LOOPBACK_PROVIDERS=1.",
    );
  }
  return festivalApi;
}
