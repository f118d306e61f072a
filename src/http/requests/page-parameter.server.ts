import { z } from "zod";
import { parsePageNumber } from "../../domain/show-query.ts";

const error = "page must be one whole number from 1";

/** Given at most once. Its output is the text. */
export function pageParameter() {
  const pageNumber = z
    .string()
    .refine((text) => parsePageNumber(text) !== null, { error })
    .meta({ type: "integer", minimum: 1, default: 1 });
  return z.tuple([pageNumber], { error }).optional().meta({ description: "Which page, from 1" });
}
