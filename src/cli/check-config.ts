import { existsSync } from "node:fs";
import process from "node:process";
import { ConfigError } from "../config/config-error.server.ts";
import { readEnvFile } from "../config/env-file.server.ts";
import { findProblems, parseConfig, readEnvironment, settings } from "../config/environment.server.ts";
import { applyNetworkSettings } from "../config/network-settings.server.ts";
import {
  requireDatabase,
  requireOperator,
  requireProductionCredentials,
} from "../config/production-credentials.server.ts";
import { describeServer } from "../database/connection/database-url.server.ts";
import { escapeControls, print } from "./console.ts";

const NAME_WIDTH = Math.max(...Object.keys(settings.shape).map((name) => name.length)) + 2;

/** @throws ConfigError with all bad lines of the settings file, or all bad settings */
export function checkConfig(environment = process.env): void {
  const file = environment.SETTINGS_FILE || ".env";
  const variables = readEnvironment(file, environment);
  for (const [name, value] of Object.entries(describeSettings(variables, environment)))
    print(`${`${name}:`.padEnd(NAME_WIDTH)}${escapeControls(value)}`);
  for (const name of Object.keys(readEnvFile(file)))
    if (!(name in settings.shape)) print(`${name}: no setting has this name. Is it misspelt?`);
  if (environment.SETTINGS_FILE && !existsSync(file)) print(`There is no settings file ${file}.`);
  print("");
  const network = findError(() => applyNetworkSettings(variables, environment));
  const problems = [...network, ...findProblems(variables)];
  if (problems.length > 0) throw new ConfigError("The configuration is invalid", problems);
  print("No setting is bad.");
  const config = parseConfig(variables);
  for (const required of [requireProductionCredentials, requireOperator, requireDatabase])
    for (const problem of findError(() => required(config))) print(`For npm run serve: ${problem}`);
}

function findError(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error.message];
    throw error;
  }
}

/** Each setting with its source. Never quotes a secret or a bad value. @param variables of file and environment */
export function describeSettings(variables: NodeJS.Dict<string>, environment: NodeJS.Dict<string>) {
  const entries = Object.entries(settings.shape).map(([name, schema]) => {
    const text = variables[name]?.trim() || undefined;
    const { success, data } = schema.safeParse(text);
    if (success && data === undefined) return [name, "not set"] as const;
    const source =
      text === undefined ? "default" : environment[name]?.trim() ? "environment" : "settings file";
    const isSecret = schema.meta()?.secret === true;
    return [name, `${!success ? "bad" : isSecret ? mask(name, text) : toText(data)} (${source})`] as const;
  });
  return Object.fromEntries(entries);
}

function mask(name: string, value = ""): string {
  return name.startsWith("DATABASE_")
    ? `${describeServer(value)}, user and password not shown`
    : "set, not shown";
}

/** In the format of the settings file. */
function toText(value: unknown): string {
  return (
    [value]
      .flat()
      .map((part) => (typeof part === "boolean" ? Number(part) : part))
      .join(", ") || "none"
  );
}
