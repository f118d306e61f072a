import { z } from "zod";

/**
 * The schema of the query parameter `after`: a client that has just written a review reads past shared caches
 * with it (docs/product.md §9.8). Its value only makes the address new.
 */
export function afterParameter() {
  return z.tuple([z.string()], { error: "after may be given once" }).optional().meta({
    description: "The time of the client's own review, in ms since 1970: no shared cache has the response",
  });
}

/** Whether shared caches may keep the response to a request with these parameters. */
export function isSharedRequest(params: URLSearchParams): boolean {
  return !params.has("after");
}
