import { expect, test } from "vitest";
import { foldForSearch, spellingKey } from "../../src/catalogue/search-folding.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { cleanSearch } from "../../src/domain/show-query.ts";
import { shownText } from "../../src/domain/shown-text.ts";
import { cleanText, toPlainText as withoutForbidden } from "../../src/domain/text.ts";
import { matchesETag } from "../../src/http/cache/send-cached.server.ts";
import { parseRetryAfter } from "../../src/lib/responses.ts";
import { toPlainLine as toWrittenLine } from "../../src/moderation/messages/webhook.server.ts";
import { toPlainLine, toPlainText } from "../../src/refresh/festival/html-text.server.ts";
import { parseRecord } from "../../src/refresh/festival/record-parser.server.ts";
import { parseWebsite } from "../../src/refresh/festival/website.server.ts";
import { countRegexSteps } from "../support/count-regex-steps.ts";

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
