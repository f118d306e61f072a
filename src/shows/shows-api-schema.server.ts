import { z } from "zod";
import { declarations } from "../domain/declared.ts";
import { interactions } from "../domain/review.ts";
import { listedShow, listedTallies, showPage } from "../domain/show.ts";
import { MAX_GENRE, yesFilters } from "../domain/show-query.ts";
import { pageParameter, readErrors } from "../http/requests/query-parameters.server.ts";

const declaredError = `announced must be one of ${declarations.join(", ")}, given once`;

const yesError = `yes must be one of ${yesFilters.join(", ")}, given once`;

/** The query of `GET /api/shows`, each parameter as the array of its values. */
export const showsParameters = z.object({
  search: z.tuple([z.string()], { error: "search may be given once" }).optional().meta({
    description: "Case-insensitive contains on title, artist or venue, or the address of the website",
  }),
  interaction: z
    .array(z.enum(interactions, { error: `interaction must be one of ${interactions.join(", ")}` }))
    .optional()
    .meta({ description: "Keeps shows that have a review with any of these answers" }),
  announced: z
    .tuple([z.enum(declarations, { error: declaredError })], { error: declaredError })
    .optional()
    .meta({ description: "Keeps shows whose listing says this about audience participation" }),
  yes: z
    .tuple([z.enum(yesFilters, { error: yesError })], { error: yesError })
    .optional()
    .meta({
      description:
        "Keeps shows with at least five reviews, of which none, or most (more than half), said yes",
    }),
  genre: z
    .tuple([z.string().min(1).max(MAX_GENRE)], {
      error: `genre may be given once, with up to ${MAX_GENRE} characters`,
    })
    .optional()
    .meta({ description: "Keeps shows of this genre, spelled as the festival does" }),
  show: z
    .tuple([z.string().min(1)], { error: "show may be given once" })
    .optional()
    .meta({
      description:
        "The id of a show, also of an earlier year, or its first 8 or more characters: it alone is listed, or none; the rest is ignored",
    }),
  page: pageParameter(),
  reviews: z
    .tuple([z.literal("none")], { error: "reviews may only be none" })
    .optional()
    .meta({ description: "none: shows alone, by title, without tallies; interaction and yes are ignored" }),
});

// Added here and not in the shared schemas: browsers would download the descriptions.
const registry = z.globalRegistry;
registry.add(listedShow.shape.website, { format: "uri" });
for (const [schema, description] of [
  [listedShow.shape.description, "Plain text"],
  [
    listedShow.shape.announced,
    "Whether the festival's listing announces audience participation; unknown if it gives no warnings",
  ],
  [listedShow.shape.warnings, "The listing's other warnings, in the festival's words"],
  [listedTallies.shape.total, "How many reviews there are"],
  [listedTallies.shape.few, "Whether there are fewer than five, or none"],
  [listedShow.shape.reviews, "Absent when tallies were not requested or are unknown"],
  [
    listedShow.shape.has_namesake,
    "Whether another listed show has the same title and artist, case, accents and punctuation aside",
  ],
  [listedShow.shape.last_year, "The reviews of the same show in the year before, if it was reviewed then"],
  [
    showPage.shape.year,
    "The festival year; a show of an earlier one, which only show finds, takes no reviews",
  ],
  [showPage.shape.page, "The number of this page; past the end, that of the last page"],
  [showPage.shape.total, "How many shows match"],
  [
    showPage.shape.did_you_mean,
    "For a search that finds nothing: a similar one that does, and the parameters of its list, with the filters if they keep any of its shows",
  ],
  [showPage.shape.short_id, "With show: the beginning of its id that a short address needs"],
] as const)
  registry.add(schema, { description });

export const describeShows = {
  summary: "One page of the list of shows, as the site shows it",
  parameters: showsParameters,
  response: showPage,
  errors: readErrors,
};

const previewErrors = {
  "429": "network_rate_limited; Retry-After says for how many seconds",
  "503": "unavailable",
};

export const describeSitePreview = {
  summary: "A picture of the site for link previews: a PNG of 1200 × 630",
  response: "image/png" as const,
  errors: previewErrors,
};

export const describePreview = {
  ...describeSitePreview,
  summary: "A picture of a show's card for link previews: a PNG of 1200 × 630",
  pathParameters: z.object({ id: z.string().meta({ description: "The show, if it is listed" }) }),
  errors: { "404": "show_not_found", ...previewErrors },
};

export const describeBadge = {
  summary:
    "What most reviewers of a show said, as an SVG for a page of its company; for five minutes of cache",
  response: "image/svg+xml" as const,
  pathParameters: z.object({ id: z.string().meta({ description: "The show, listed or not" }) }),
  errorsInKind: { "404": "The show is unknown", "503": "No shows are loaded" },
  errors: { "429": previewErrors["429"] },
};
