/** The time limit of a request, in ms: longer than any working network needs. */
export const REQUEST_TIMEOUT = 15_000;

/**
 * Returns a signal that aborts with the given one, or when the time limit is over: a stalled network never
 * fails by itself. Browsers of 2023 cannot combine signals, and go without the limit.
 */
export function withTimeLimit(signal: AbortSignal): AbortSignal {
  return AbortSignal.any?.([signal, AbortSignal.timeout(REQUEST_TIMEOUT)]) ?? signal;
}
