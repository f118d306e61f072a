import type { Rendering } from "./http/answer-cache.server.ts";

/** A page as React Router hands it on: what was rendered is taken as it is. The body of a Response is a stream, which would have to be read again. */
export class RenderedPage extends Response {
  readonly rendering: Rendering;

  constructor(rendering: Rendering, init: ResponseInit) {
    super(null, init);
    this.rendering = rendering;
  }

  /** The page with its body, to be sent. */
  whole(): Response {
    return new Response(this.rendering.text, this);
  }
}
