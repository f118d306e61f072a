import fc from "fast-check";
import { fieldText, headerName, headerText, jsonText, queryText, tokenPart } from "./malformed-texts.ts";
import type { RequestDraft } from "./request.ts";

type Mutation = (draft: RequestDraft) => RequestDraft;

function mutation<T>(
  value: fc.Arbitrary<T>,
  apply: (draft: RequestDraft, value: T) => Partial<RequestDraft>,
): fc.Arbitrary<Mutation> {
  return value.map((generated) => (draft) => ({ ...draft, ...apply(draft, generated) }));
}

const index = fc.nat(6);

const queryMutation = fc.oneof(
  mutation(fc.tuple(index, queryText), ({ query }, [index, value]) => ({
    query: query.map(([name, old], at) => [name, at === index ? value : old]),
  })),
  mutation(index, ({ query }, index) => ({ query: query.toSpliced(index, 1) })),
  mutation(index, ({ query }, index) => ({ query: [...query, ...query.slice(index)] })),
  mutation(fc.tuple(queryText, queryText), ({ query }, pair) => ({ query: [pair, ...query] })),
);

const headerMutation = fc.oneof(
  mutation(fc.tuple(headerName, headerText), ({ headers }, [name, value]) => ({
    headers: { ...headers, [name]: value },
  })),
  mutation(fc.tuple(headerName, headerText), ({ headers }, [name, value]) => ({
    headers: { ...headers, [name]: name === "Host" ? value : [headers[name] ?? "", value].flat() },
  })),
  mutation(headerName, ({ headers: { ...headers } }, name) => {
    delete headers[name];
    return { headers };
  }),
  mutation(fc.tuple(fc.nat(2), tokenPart), ({ headers }, [index, part]) => {
    const [token = "Bearer .."] = [headers.Authorization].flat();
    return { headers: { ...headers, Authorization: token.split(".").toSpliced(index, 1, part).join(".") } };
  }),
);

function fieldsOf(body: Buffer | null): [name: string, text: string][] | null {
  try {
    const value: unknown = JSON.parse(String(body));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, field]) => [name, JSON.stringify(field)]);
  } catch {
    return null;
  }
}

function fieldMutation(mutate: (fields: [string, string][], at: number, text: string) => [string, string][]) {
  return mutation(fc.tuple(fc.nat(3), fieldText), ({ body }, [at, text]) => {
    const fields = fieldsOf(body);
    if (fields === null) return {};
    const pairs = mutate(fields, at, text).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    return { body: Buffer.from(`{${pairs.join(",")}}`) };
  });
}

const bodyMutation = fc.oneof(
  mutation(jsonText, (_draft, json) => ({ body: Buffer.from(json) })),
  mutation(fc.uint8Array({ maxLength: 300 }), (_draft, bytes) => ({ body: Buffer.from(bytes) })),
  mutation(fc.nat(200), ({ body }, length) => ({ body: body?.subarray(0, length) ?? null })),
  mutation(fc.constant("chunked"), ({ headers }, encoding) => ({
    headers: { ...headers, "Transfer-Encoding": encoding },
  })),
  // A field has another value, is missing, doubled or unknown.
  ...[0, 1, 2].map(() =>
    fieldMutation((fields, at, text) => fields.map(([name, old], i) => [name, i === at ? text : old])),
  ),
  fieldMutation((fields, at) => fields.toSpliced(at, 1)),
  fieldMutation((fields, at, text) => [...fields, [fields[at]?.[0] ?? "notes", text]]),
  fieldMutation((fields, at, text) => [[at ? "__proto__" : "constructor", text], ...fields]),
);

const methods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY M-SEARCH".split(" ");
const suffixes = ["/", "//", "/x", "%00", "%ff", "%", "%2f", ".json", ".data", ";x", "/*", "a".repeat(3_000)];
const prefixes = "/ // /./ /.. /%2e%2e /..%2f..%2fpackage.json /assets/..%5c.. /assets";

const addressMutation = fc.oneof(
  mutation(fc.constantFrom(...methods), (_draft, method) => ({ method })),
  mutation(fc.constantFrom(...suffixes), ({ path }, suffix) => ({ path: path + suffix })),
  mutation(fc.constantFrom(...prefixes.split(" "), "/AUTH"), ({ path }, prefix) => ({ path: prefix + path })),
  mutation(fc.webPath(), (_draft, path) => ({ path: path || "/" })),
);

const anyMutation = fc.oneof(
  { weight: 5, arbitrary: queryMutation },
  { weight: 5, arbitrary: headerMutation },
  { weight: 5, arbitrary: bodyMutation },
  { weight: 2, arbitrary: addressMutation },
);

export function mutatedRequest(validRequests: readonly RequestDraft[]): fc.Arbitrary<RequestDraft> {
  return fc
    .tuple(fc.constantFrom(...validRequests), fc.array(anyMutation, { minLength: 1, maxLength: 4 }))
    .map(([draft, mutations]) => mutations.reduce((changed, apply) => apply(changed), draft));
}
