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
