import { setFlagsFromString } from "node:v8";

setFlagsFromString("--allow-natives-syntax");
/** A regular expression of V8 that finds nothing once it has backtracked more than `limit` times. */
const createLimited = new Function(
  "source, flags, limit",
  "return %NewRegExpWithBacktrackLimit(source, flags, limit)",
) as (source: string, flags: string, limit: number) => RegExp;
setFlagsFromString("--no-allow-natives-syntax");

// biome-ignore lint/suspicious/noExplicitAny: replaced below
const exec: any = RegExp.prototype.exec;

const known = new Map<string, RegExp>();

/** To a power of two. An alternative that always matches, last, tells "found nothing" from "over the limit". */
function countBacktracks({ source, flags }: RegExp, from: number, text: string): number {
  for (let limit = 1; ; limit *= 2) {
    const last = flags.includes("y") ? "" : "(?![^])";
    const key = `${limit} ${flags} ${source}`;
    const limited = known.get(key) ?? createLimited(`(?:${source})|${last}`, flags, limit);
    known.set(key, limited);
    limited.lastIndex = from;
    if (exec.call(limited, text) !== null) return limit;
  }
}

/** How many characters the regular expressions of `run` read and how often they backtrack. Equal on every machine. */
export function countRegexSteps(run: () => unknown): number {
  let steps = 0;
  RegExp.prototype.exec = function countedExec(text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found: RegExpExecArray | null = exec.call(this, text);
    const end = found ? found.index + found[0].length : String(text).length;
    steps += 1 + Math.max(0, end - from) + countBacktracks(this, from, String(text));
    return found;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return steps;
}
