import * as z from "zod/mini";

/** Every error of the API: a stable code, and a message for people. */
export const apiError = z.object({ code: z.string(), message: z.string() });

export type ApiError = z.infer<typeof apiError>;
