import { OperatorError } from "../../src/lib/operator-error.ts";
import type { FaultRule } from "./faults.ts";

/** The message names the option. */
export class UsageError extends OperatorError {
  override name = "UsageError";
}

/** `usage` explains the values. */
export const ruleFrom = {
  slow: (value: string): FaultRule => ({ kind: "slow", ms: readWhole("slow", value) }),
  hang: (value: string): FaultRule => ({ kind: "hang", times: readWhole("hang", value) || undefined }),
  fail: (value: string): FaultRule => {
    const [status, times, retryAfter] = value.split(":");
    return {
      kind: "status",
      status: readWhole("fail", status),
      times: optional("fail", times),
      retryAfter: optional("fail", retryAfter),
    };
  },
  flaky: (value: string): FaultRule => {
    const [status, probability] = value.split(":");
    return {
      kind: "status",
      status: readWhole("flaky", status),
      probability: readPart("flaky", probability),
    };
  },
  garble: (value: string): FaultRule => {
    const [kind, times] = value.split(":");
    const known = garbles.find((garble) => garble === kind);
    if (!known) throw new UsageError(`--garble ${value}: must be one of ${garbles.join(", ")}`);
    return { kind: known, times: optional("garble", times) };
  },
  change: (value: string): FaultRule => ({ kind: "changed", probability: readPart("change", value) }),
  "lose-page": (value: string): FaultRule => {
    const [page, keep = "0"] = value.split(":");
    return {
      kind: "short",
      keep: readWhole("lose-page", keep),
      from: [(readWhole("lose-page", page) - 1) * 100],
    };
  },
  total: (value: string): FaultRule => ({
    kind: "total",
    claim: value === "nothing" ? value : readWhole("total", value),
  }),
};

const garbles = ["html", "empty", "truncated", "object", "cut", "drop"] as const;

const optional = (option: string, value: string | undefined) =>
  value === undefined ? undefined : readWhole(option, value);

/** @throws UsageError naming the option, unless the value is a whole number of at least 0 */
export function readWhole(option: string, value = ""): number {
  if (!/^\d+$/.test(value)) throw new UsageError(`--${option} ${value}: must be a whole number`);
  return Number(value);
}

/** @throws UsageError naming the option, unless the value is a number from 0 to 1 */
export function readPart(option: string, value = ""): number {
  const part = Number(value || Number.NaN);
  if (!(part >= 0 && part <= 1)) throw new UsageError(`--${option} ${value}: must be a number from 0 to 1`);
  return part;
}
