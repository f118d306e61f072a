import process from "node:process";
import { ConfigError } from "../config/config-error.server.ts";
import { describeSettings } from "../config/describe-settings.server.ts";
import { findProblems, parseConfig, readEnvironment, settings } from "../config/environment.server.ts";
import { applyNetworkSettings } from "../config/network-settings.server.ts";
import { requireOperator, requireProductionCredentials } from "../config/production-credentials.server.ts";
import { messageOf } from "../lib/error-message.ts";
import { escapeControls, print } from "./console.ts";

const NAME_WIDTH = Math.max(...Object.keys(settings.shape).map((name) => name.length)) + 2;

/** @throws ConfigError with each bad line of the file, or each bad setting */
export function checkConfig(environment = process.env): void {
  const variables = readEnvironment(undefined, environment);
  for (const { name, value } of describeSettings(variables, environment))
    print(`${`${name}:`.padEnd(NAME_WIDTH)}${escapeControls(value)}`);
  print("");
  const network = attempt(() => applyNetworkSettings(variables, environment));
  const problems = [...network, ...findProblems(variables)];
  if (problems.length > 0) throw new ConfigError("The configuration is invalid", problems);
  const config = parseConfig(variables);
  const missing = [() => requireProductionCredentials(config), () => requireOperator(config)].flatMap(
    attempt,
  );
  print(`No setting is bad.${missing.map((problem) => `\nFor npm run serve: ${problem}`).join("")}`);
}

function attempt(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [messageOf(error)];
    throw error;
  }
}
