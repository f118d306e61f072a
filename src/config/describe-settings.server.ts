import { describeServer } from "../database/connection/database-url.server.ts";
import { settings } from "./environment.server.ts";

type Variables = NodeJS.Dict<string>;

/** A setting as it is read. Nothing of a secret, and nothing of a bad value, is in it. */
interface DescribedSetting {
  name: string;
  value: string;
}

/** @param environment what goes before the settings file @param variables both together */
export function describeSettings(variables: Variables, environment: Variables): DescribedSetting[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const text = variables[name]?.trim() || undefined;
    const { success, data } = schema.safeParse(text);
    if (success && data === undefined) return { name, value: "not set" };
    const source = text === undefined ? "default" : environment[name]?.trim() ? "environment" : ".env";
    const isSecret = schema.meta()?.secret === true;
    return { name, value: `${!success ? "bad" : isSecret ? mask(name, text) : toText(data)} (${source})` };
  });
}

function mask(name: string, value = ""): string {
  return name.startsWith("DATABASE_")
    ? `${describeServer(value)}, user and password not shown`
    : "set, not shown";
}

/** As it is written in the settings file. */
function toText(value: unknown): string {
  const parts = [value].flat().map((part) => (typeof part === "boolean" ? Number(part) : part));
  return parts.join(", ") || "none";
}
