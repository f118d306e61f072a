import type { MiddlewareHandler } from "hono";
import { unavailable } from "./errors.server.ts";
import { TooLateError, within } from "./within.server.ts";

/** Answers 503 where an answer takes longer than `ms`: some clients wait for ever. */
export function answerWithin(ms: number): MiddlewareHandler {
  return async function answerInTime(_c, next) {
    await within(ms, next()).catch((error) => {
      throw error instanceof TooLateError ? unavailable : error;
    });
  };
}
