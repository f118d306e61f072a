import { parseArgs } from "node:util";
import { programmeOnDemand } from "../invented-data.ts";
import type { FestivalEvent } from "./event.ts";
import { noFaults, type Spoil } from "./faults.ts";
import { idOf } from "./listing.ts";
import { readPart, readWhole, ruleFrom, UsageError } from "./rule-options.ts";
import type { FakeFestivalApiOptions } from "./server.ts";

export const usage = `A fake of the festival's listings API: a local server with an invented programme.

  --port 4010            the port to listen on (default: any free port)
  --key K --secret S     the credentials that clients must use
  --size 500             a smaller programme
  --seed 7               other random faults
  --slow 500             delay each response by that many milliseconds
  --hang 2               send no response to that many requests; 0 means all
  --fail 503:3           send 503 to the next 3 requests; 429:1:10 adds Retry-After: 10; 503 alone is forever
  --flaky 503:0.2        send 503 with that probability
  --garble html          html, empty, truncated, object, cut or drop; html:3 for the next 3 requests
  --shuffle              the order changes from request to request
  --change 0.1           before a page, with that probability, a show is deleted, added or moved
  --lose-page 7          the 7th page of 100 is empty; with 7:40 it has 40 records
  --shrink 0.5           list only that part of the programme
  --total nothing        omit x-total-results, or send a number in it
  --spoil 20             the first 20 records have no title
  --delete 20            the first 20 shows are marked deleted and listed as such

--fail, --flaky, --garble and --lose-page may be repeated.`;

interface FakeFestivalApiChoices extends FakeFestivalApiOptions {
  help: boolean;
  /** Loads the programme on the first call, which takes a while. */
  programme: () => FestivalEvent[];
}

/**
 * @param further options of an environment variable
 * @throws UsageError for an unknown option or an invalid value
 */
export function readOptions(args: readonly string[], further = ""): FakeFestivalApiChoices {
  const values = parse([...further.split(/\s+/).filter(Boolean), ...args]);
  const seed = readWhole("seed", values.seed);
  const size = readWhole("size", values.size);
  const programme = programmeOnDemand({ size });
  const firstIds = (count: number) => (count === 0 ? [] : programme().slice(0, count).map(idOf));
  const rules = (
    ["slow", "hang", "fail", "flaky", "garble", "change", "lose-page", "total"] as const
  ).flatMap((name) => values[name].map(ruleFrom[name]));
  const faults = {
    ...noFaults(),
    rules: values.shuffle ? [...rules, { kind: "shuffled" as const, places: 100 }] : rules,
    shrink: readPart("shrink", values.shrink),
    spoiled: new Map(
      firstIds(readWhole("spoil", values.spoil)).map((id): [string, Spoil] => [id, "no title"]),
    ),
    deleted: new Set(firstIds(readWhole("delete", values.delete))),
    listDeleted: true,
  };
  const { help, key, secret } = values;
  return { help, key, secret, seed, port: readWhole("port", values.port), programme, faults };
}

const text = (otherwise: string) => ({ type: "string", default: otherwise }) as const;
const texts = { type: "string", multiple: true, default: [] as string[] } as const;
const flag = { type: "boolean", default: false } as const;

const options = {
  help: flag,
  port: text("0"),
  key: text("fake-key"),
  secret: text("fake-secret"),
  seed: text("1"),
  size: text("3893"),
  slow: texts,
  hang: texts,
  fail: texts,
  flaky: texts,
  garble: texts,
  shuffle: flag,
  change: texts,
  "lose-page": texts,
  shrink: text("1"),
  total: texts,
  spoil: text("0"),
  delete: text("0"),
};

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
