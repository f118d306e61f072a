import type { Handler } from "hono";
import { z } from "zod";
import { createConstantResponse } from "../cache/response-cache.server.ts";
import { sendCached } from "../cache/send-cached.server.ts";

/** docs/product.md §9.7. */
const apiError = z.object({ code: z.string(), message: z.string() });

interface Operation {
  summary: string;
  /** A tuple of one: the parameter may be given once. */
  parameters?: z.core.$ZodType;
  pathParameters?: z.core.$ZodType;
  body?: z.core.$ZodType;
  response: z.core.$ZodType | `image/${string}`;
  status?: 201;
  signedIn?: boolean;
  errors: Record<string, string>;
  /** Errors with the same content type as `response`. */
  errorsInKind?: Record<string, string>;
}

interface ApiInfo {
  title: string;
  version: string;
  description: string;
}

export type Operations = Partial<Record<"get" | "put" | "post" | "delete", Operation>>;

interface Route {
  path: string;
  /** Whether the client key is required. */
  key: unknown;
  describe?: Operations;
}

export function openApiDocument(info: ApiInfo, routes: readonly Route[]): Handler {
  const text = Buffer.from(JSON.stringify(describeApi(info, routes)));
  const document = createConstantResponse("application/json", text);
  return (c) => sendCached(c, document);
}

function describeApi(info: ApiInfo, routes: readonly Route[]): object {
  const paths = routes.flatMap(({ path, key, describe }) => {
    const operations = describe && mapValues(describe, (operation) => describeOperation(operation, !key));
    return operations ? [[path.replace(/:(\w+)/g, "{$1}"), operations]] : [];
  });
  return {
    openapi: "3.1.0",
    info,
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

function describeOperation(operation: Operation, isPublic: boolean): object {
  const { summary, parameters, pathParameters, body, response, status = 200, errors } = operation;
  const { signedIn, errorsInKind = {} } = operation;
  const content = typeof response === "string" ? { [response]: {} } : json(response);
  return {
    summary,
    ...(isPublic && { security: [] }),
    ...(signedIn && { security: [{ client: [], session: [] }] }),
    parameters: [...describeParameters("path", pathParameters), ...describeParameters("query", parameters)],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: { description: "OK", content },
      ...mapValues(errorsInKind, (description) => ({ description, content })),
      ...mapValues(errors, (description) => ({ description, content: json(apiError) })),
    },
  };
}

function describeParameters(place: "path" | "query", parameters: z.core.$ZodType | undefined): object[] {
  const { properties = {}, required = [] } = parameters ? z.toJSONSchema(parameters) : {};
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...values } = Object(property);
    return {
      in: place,
      name,
      description,
      required: required.includes(name),
      schema: values.prefixItems?.[0] ?? values,
    };
  });
}

function json(schema: z.core.$ZodType): object {
  return { "application/json": { schema: z.toJSONSchema(schema) } };
}

function mapValues<T>(values: Record<string, T>, change: (value: T) => object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
