import { z } from "zod";

interface Operation {
  summary: string;
  parameters?: { name: string; description: string; schema: object; explode?: boolean }[];
  answer: z.ZodType;
  /** What it takes as JSON. */
  body?: z.ZodType;
  /** Whether it needs the access token of somebody who is signed in. */
  signedIn?: boolean;
  /** What may go wrong: a sentence for each status. */
  errors: Record<string, string>;
}

const error = z.object({ code: z.string(), message: z.string() });

/** The OpenAPI 3.1 description of the operations, by path and method; all of them need the public client key. */
export function describeApi(operations: Record<string, Partial<Record<"get" | "put", Operation>>>): object {
  const paths = Object.entries(operations).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, describeOperation(operation)])),
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Front Row", version: "1.0.0", description: "How much audience interaction Fringe shows have." },
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        client: { type: "apiKey", in: "header", name: "apikey" },
        session: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      },
    },
    security: [{ client: [] }],
  };
}

function describeOperation({ summary, parameters = [], body, answer, errors, signedIn }: Operation): object {
  return {
    summary,
    ...(signedIn && { security: [{ client: [], session: [] }] }),
    parameters: parameters.map((parameter) => ({ in: "query", ...parameter })),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      "200": { description: "OK", content: json(answer) },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [status, { description, content: json(error) }]),
      ),
    },
  };
}

function json(schema: z.ZodType): object {
  return { "application/json": { schema: z.toJSONSchema(schema) } };
}
