import type { Context } from "hono";
import { z } from "zod";
import { parsePageNumber } from "../../domain/show-query.ts";
import { HttpError } from "./errors.server.ts";

/** @param message replaces the messages of all invalid parameters */
export function parseQuery<Shape extends z.ZodRawShape>(
  c: Context,
  schema: z.ZodObject<Shape>,
  message?: string,
): z.output<z.ZodObject<Shape>> {
  const params = new URL(c.req.url).searchParams;
  // Known names only: `getAll` is linear, and thousands of unknown parameters would block the event loop.
  const names = Object.keys(schema.shape).filter((name) => params.has(name));
  const values = Object.fromEntries(names.map((name) => [name, params.getAll(name)]));
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const problems = new Set(parsed.error.issues.map((issue) => issue.message));
  throw new HttpError(400, "invalid_query", message ?? `${[...problems].join("; ")}.`);
}

export const readErrors = {
  "400": "invalid_query",
  "401": "invalid_client_key",
  "429": "network_rate_limited; Retry-After says for how many seconds",
  "503": "unavailable",
};

/** Those of routes that write. */
export const writeErrors = {
  "401": "invalid_client_key or authentication_required",
  "429": "rate_limited or network_rate_limited; Retry-After says for how many seconds",
  "503": "unavailable; unconfirmed if it may be done nevertheless",
};

const error = "page must be one whole number from 1";

/** A schema whose output is the text of the parameter. */
export function pageParameter() {
  const pageNumber = z
    .string()
    .refine((text) => parsePageNumber(text) !== null, { error })
    .meta({ type: "integer", minimum: 1, default: 1 });
  return z.tuple([pageNumber], { error }).optional().meta({ description: "Which page, from 1" });
}
