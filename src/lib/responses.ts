/** A header of all responses of this site. Shared caches keep it; what a proxy or a captive portal says itself lacks it. */
export const OURS = "Front-Row";

/** Of the header `Retry-After`, in ms; 0 if it is missing, invalid or in the past. */
export function parseRetryAfter(value: string | null, now = Date.now()): number {
  const wait = /^\d+$/.test(value ?? "") ? Number(value) * 1000 : Date.parse(value ?? "") - now;
  return Number.isFinite(wait) ? Math.max(wait, 0) : 0;
}

export function limitResponse(response: Response, maxBytes: number, error: Error): Response {
  const { body, status, statusText, headers } = response;
  let size = 0;
  const limited = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > maxBytes) controller.error(error);
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(limited, { status, statusText, headers });
}
