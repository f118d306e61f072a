import { Hono } from "hono";
import { readShowQuery, type ShowQuery, writeShowQuery } from "../domain/show-query.ts";
import { allowMethods } from "../http/allow-methods.server.ts";
import type { Answer, Encoding, Source } from "../http/answer-cache.server.ts";
import { HttpError } from "../http/errors.server.ts";
import { inOwnMemory } from "../http/own-memory.server.ts";
import { composeAnswer, sendAnswer } from "../http/send-answer.server.ts";
import type { AnswerDirectly } from "../http/shortcut.server.ts";
import { showsParameters } from "./api-schema.server.ts";
import type { Catalogue } from "./catalogue.server.ts";

interface ShowRoutesOptions {
  catalogue: Catalogue;
  answer: (source: Source) => Promise<Answer>;
}

/** `GET /shows`: one page of the list as JSON. */
export function showRoutes(options: ShowRoutesOptions): Hono {
  const find = createFind(options);
  const app = new Hono();
  app.use("/shows", allowMethods("GET", "HEAD"));
  app.get("/shows", async (c) => {
    const found = find(readParameters(new URL(c.req.url).searchParams));
    return sendAnswer(c, found, found);
  });
  return app;
}

interface DirectOptions extends ShowRoutesOptions {
  publicClientKey: string;
  /** The headers that are on every answer. */
  always: Record<string, string>;
}

/** The same without the app, where there is nothing to object to. */
export function answerShowsDirectly({ publicClientKey, always, ...options }: DirectOptions): AnswerDirectly {
  const find = createFind(options);
  return function answerDirectly({ headers }, query, encoding) {
    const parameters = headers.apikey === publicClientKey && parseParameters(new URLSearchParams(query));
    if (!parameters || parameters instanceof HttpError) return null;
    const found = find(parameters);
    return composeAnswer(found, { ...found, always, encoding, ifNoneMatch: headers["if-none-match"] });
  };
}

interface Parameters {
  query: ShowQuery;
  /** Whether shows are asked for without tallies. */
  alone: boolean;
}

function createFind({ catalogue, answer }: ShowRoutesOptions) {
  // Not made where the page is found: whoever keeps an answer keeps this, and would keep that page with it.
  const isStill = (version: number) => () => catalogue.state().version === version;

  return function find({ query, alone }: Parameters) {
    const { version } = catalogue.state();
    const page = alone ? catalogue.findAlone(query) : catalogue.find(query);
    const contentType = "application/json";
    const compressed = () =>
      answer({
        key: `shows${alone ? " alone" : ""}?${writeShowQuery(query)}`,
        version,
        content: () => page.hash,
        render: () => ({ text: inOwnMemory(...page.pieces()) }),
        contentType,
        isRare: query.search !== "",
      });
    return {
      contentType,
      policy: undefined,
      hash: page.hash,
      /** It takes longer to look after a text than to write it. */
      encoded: async (encoding: Encoding) =>
        encoding === "identity" ? page.pieces() : (await compressed()).encoded(encoding),
      isCurrent: isStill(version),
    };
  };
}

const names = Object.keys(showsParameters.shape);

/** @throws HttpError 400 `invalid_query` */
function readParameters(params: URLSearchParams): Parameters {
  const parameters = parseParameters(params);
  if (parameters instanceof HttpError) throw parameters;
  return parameters;
}

/** An error says what is wrong with each bad parameter. */
function parseParameters(params: URLSearchParams): Parameters | HttpError {
  // Only those that mean something: looking for each of thousands of others would keep everybody waiting.
  const values = Object.fromEntries(
    names.filter((name) => params.has(name)).map((name) => [name, params.getAll(name)]),
  );
  const parsed = showsParameters.safeParse(values);
  if (!parsed.success) {
    const problems = new Set(parsed.error.issues.map((issue) => issue.message));
    return new HttpError(400, "invalid_query", `${[...problems].join("; ")}.`);
  }
  const alone = parsed.data.reviews !== undefined;
  const query = readShowQuery(params);
  return { query: alone ? { ...query, interaction: [] } : query, alone };
}
