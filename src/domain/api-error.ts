import * as z from "zod/mini";

/** The body of every error response of the API (docs/product.md §9.7). */
export const apiError = z.object({ code: z.string(), message: z.string() });

export type ApiError = z.infer<typeof apiError>;
