import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { foldForSearch, spellingKey } from "../../src/catalogue/search-folding.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { cleanText, toPlainText as withoutForbidden } from "../../src/domain/review.ts";
import { cleanSearch } from "../../src/domain/show-query.ts";
import { shownText } from "../../src/domain/shown-text.ts";
import { matchesETag } from "../../src/http/cache/send-cached.server.ts";
import { parseRetryAfter } from "../../src/lib/responses.ts";
import { toPlainLine as toWrittenLine } from "../../src/moderation/messages/webhook.server.ts";
import { toPlainLine, toPlainText } from "../../src/refresh/festival/html-text.server.ts";
import { parseRecord } from "../../src/refresh/festival/record-parser.server.ts";
import { parseWebsite } from "../../src/refresh/festival/website.server.ts";
import { countRegexSteps } from "../support/count-regex-steps.ts";
import type { CountedRequest } from "../support/count-steps.ts";
import { fuzzRuns } from "../support/fuzz/fuzz-runs.ts";

const counter = new Worker(new URL("../support/count-steps.ts", import.meta.url));
afterAll(() => counter.terminate());

async function countSteps(counted: CountedRequest | { record: object }): Promise<number> {
  counter.postMessage(counted);
  const [steps] = await once(counter, "message");
  return steps;
}

const repeated = (texts: readonly string[], max: number) =>
  fc
    .tuple(fc.string({ unit: fc.constantFrom(...'ab1,;=&"* ') }), fc.constantFrom(...texts), fc.nat(max))
    .map(([begin, text, length]) =>
      (begin + text.repeat(Math.ceil(length / text.length))).slice(0, length).trim(),
    );

const request = fc.record({
  query: repeated(["&", "a&", "search=a&", "interaction=yes&", "page=1&", "%61", "=", "+"], 2_048),
  headers: fc.record({
    "accept-encoding": repeated([",", ";", "br,", "x;q=0.1,", "gzip;q=1;q=2,", 'a="', "* , "], 15_000),
    "if-none-match": repeated([",", '"x",', 'W/"x", ', "*x,", "W/,"], 15_000),
    "x-forwarded-for": repeated([",", "10.0.0.1,", "10.0.0.1:80, ", "a,", "::,", "[10.1.1.1]:,"], 15_000),
  }),
});

/** As long as a browser's query and headers can be. */
const usual = {
  query: "search=an+ordinary+search&interaction=no&interaction=yes&page=2",
  headers: {
    "accept-encoding": "gzip, deflate, br, zstd",
    "if-none-match": '"zx0pTqyS0kNHCO4s8Ms3TA-br"',
    "x-forwarded-for": "203.0.113.7, 10.0.0.2",
  },
};

// Steps of native code are not counted. Longer input than any browser's is not read (see api.test.ts).
test("any headers or query take at most eight times the steps of a usual request", async () => {
  await countSteps(usual);
  const bound = 8 * (await countSteps(usual));
  expect(bound).toBeGreaterThan(1_000);
  await fc.assert(
    fc.asyncProperty(request, async (hostile) => {
      expect(await countSteps(hostile)).toBeLessThan(bound);
    }),
    fuzzRuns(150),
  );
});

/** A festival record of the maximum length, from one repeated text. */
function recordOf(text: string) {
  const long = text.repeat(5_000);
  const lines = ["artist", "genre", "sub_title", "code", "genre_tags", "warnings", "age_category", "country"];
  const proses = ["description", "description_teaser"];
  const facts = Object.fromEntries([...text].map((_, n) => [`fact ${n}`, text.repeat(50)]));
  const service = Object.fromEntries([..."abcdef"].map((name) => [name, text.repeat(12)]));
  const start = "2025-08-06 15:45:00";
  return {
    ...{ id: "a".repeat(40), title: text, website: long, disabled: facts, performance_space: facts },
    ...Object.fromEntries([...lines, ...proses].map((name) => [name, long])),
    venue: { name: long, code: long, address: long, post_code: long, disabled_description: long },
    performances: Array(2_000).fill({ start, end: long, accessibility: Array(12).fill(service) }),
  };
}

const markup = ["<p>a", "<p>&lt;", "<td>", "<div><ul><li>a", "a<br>", "<!-- "];

test("any record takes at most some fifty milliseconds of steps", async () => {
  for (const text of ["x", "\u0080", "&amp;amp;amp;", ...markup])
    expect(await countSteps({ record: recordOf(text) }), text).toBeLessThan(8_000_000);
});

/** What strangers and the festival write, for each function whose expressions could go over it again and again. */
const readers: Record<string, (text: string) => unknown> = {
  shownText,
  parseWebsite,
  cleanText,
  withoutForbidden,
  cleanSearch,
  foldForSearch,
  spellingKey,
  toPlainLine,
  toPlainText,
  writtenToOperator: (text) => toWrittenLine(text),
  matchesETag: (text) => matchesETag(text, "x"),
  parseRetryAfter,
  showId: (text) => parseRecord({ id: text }, YEAR),
};

const pieces = [
  ..."\u200b \u0301 \u0903 a\u0301 ; ) ( . ; a. a- - & &amp amp; &amp; #38; http http:/ https:// www. < <p <p> <!--".split(
    " ",
  ),
  ..."\u00e9 0 1, , W/ / ? = # @ A a@ //a [ ] \" ' ! &# &#x a.b\uff0e".split(" "),
  ...["\n", "\n\u200b", " ", "\t", "\r", `/${"a".repeat(40)}?\n`, ") ", "a.B"],
];

test.each(Object.entries(readers))("%s reads any text in steps that grow as its length does", (_, read) => {
  for (const piece of pieces)
    for (const begin of ["", "&", "a.bc/("])
      for (const end of ["", "x"]) {
        const stepsOf = (length: number) => {
          const text = begin + piece.repeat(Math.ceil(length / piece.length)) + end;
          return countRegexSteps(() => read(text));
        };
        // A quadratic one takes 64 times as many; counts are rounded to a power of two.
        expect(stepsOf(480), JSON.stringify([begin, piece, end])).toBeLessThan(24 * stepsOf(60) + 100);
      }
});
