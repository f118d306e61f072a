import { z } from "zod";
import { interactions } from "../domain/review.ts";
import { listedShow, showPage } from "../domain/show.ts";
import { readPage } from "../domain/show-query.ts";

/** The parameters of `GET /api/shows`, each as the list of its values in the query string. */
export const showsParameters = z.object({
  search: z
    .tuple([z.string()], { error: "search may be given once" })
    .optional()
    .meta({ description: "Case-insensitive contains on title, artist or venue" }),
  interaction: z
    .array(z.enum(interactions, { error: `interaction must be one of ${interactions.join(", ")}` }))
    .optional()
    .meta({ description: "Keeps shows that have a review with any of these answers" }),
  page: z
    .tuple([page()], { error: "page must be one whole number from 1" })
    .optional()
    .meta({ description: "Which page, from 1" }),
  reviews: z
    .tuple([z.literal("none")], { error: "reviews may only be none" })
    .optional()
    .meta({ description: "none: shows alone, by title, without tallies; interaction is ignored" }),
});

/** A page number in digits. */
function page() {
  return z
    .string()
    .refine((text) => readPage(text) !== null)
    .meta({ type: "integer", minimum: 1, default: 1 });
}

// For the document alone: in the schemas, every browser would load the descriptions.
const describe = z.globalRegistry;
describe.add(listedShow.shape.website, { format: "uri" });
describe.add(listedShow.shape.description, { description: "Plain text" });
describe.add(listedShow.shape.reviews, { description: "Absent where tallies were not asked for or are unknown" });
describe.add(showPage.shape.page, { description: "The page answered: the last one when a later one was asked for" });
describe.add(showPage.shape.total, { description: "How many shows match" });

/** What the OpenAPI description says of `GET /api/shows`. */
export const describeShows = {
  summary: "One page of the list of shows, as the site shows it",
  parameters: showsParameters,
  response: showPage,
  errors: { "400": "invalid_query", "401": "invalid_client_key", "429": "rate_limited", "503": "unavailable" },
};
