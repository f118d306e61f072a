import { Hono } from "hono";
import { allowMethods } from "../http/allow-methods.server.ts";
import type { Answer, Source } from "../http/answer-cache.server.ts";
import { HttpError } from "../http/errors.server.ts";
import { sendAnswer } from "../http/send-answer.server.ts";
import { showsParameters } from "./api-schema.server.ts";
import type { Catalogue } from "./catalogue.server.ts";
import { readShowQuery, type ShowQuery, writeShowQuery } from "./query.ts";
import type { FoundPage } from "./show-page.server.ts";

interface ShowRoutesOptions {
  catalogue: Catalogue;
  answer: (source: Source) => Promise<Answer>;
}

/** `GET /shows`: one page of the list as JSON. */
export function showRoutes({ catalogue, answer }: ShowRoutesOptions): Hono {
  const app = new Hono();
  app.use("/shows", allowMethods("GET", "HEAD"));
  app.get("/shows", async (c) => {
    const { query, alone } = parseParameters(new URL(c.req.url).searchParams);
    const { version } = catalogue.state();
    let page: FoundPage;
    const found = await answer({
      key: `shows${alone ? " alone" : ""}?${writeShowQuery(query)}`,
      version,
      content() {
        page = alone ? catalogue.findAlone(query) : catalogue.find(query);
        return page.content;
      },
      render: () => ({ text: page.json() }),
      contentType: "application/json",
    });
    return sendAnswer(c, found, { isCurrent: () => catalogue.state().version === version });
  });
  return app;
}

const names = Object.keys(showsParameters.shape);

/** @throws HttpError 400 `invalid_query`, saying what is wrong with each bad parameter */
function parseParameters(params: URLSearchParams): { query: ShowQuery; alone: boolean } {
  // Only those that mean something: looking for each of thousands of others would keep everybody waiting.
  const values = Object.fromEntries(
    names.filter((name) => params.has(name)).map((name) => [name, params.getAll(name)]),
  );
  const parsed = showsParameters.safeParse(values);
  if (!parsed.success) {
    const problems = new Set(parsed.error.issues.map((issue) => issue.message));
    throw new HttpError(400, "invalid_query", `${[...problems].join("; ")}.`);
  }
  const alone = parsed.data.reviews !== undefined;
  const query = readShowQuery(params);
  return { query: alone ? { ...query, interaction: [] } : query, alone };
}
