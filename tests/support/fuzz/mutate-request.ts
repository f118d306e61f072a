import fc from "fast-check";
import { fieldText, headerName, headerText, jsonText, queryText, tokenPart } from "./malformed-texts.ts";
import type { RequestDraft } from "./request.ts";

type Change = (draft: RequestDraft) => RequestDraft;

function changing<T>(
  how: fc.Arbitrary<T>,
  apply: (draft: RequestDraft, how: T) => Partial<RequestDraft>,
): fc.Arbitrary<Change> {
  return how.map(
    (what): Change =>
      (draft) => ({ ...draft, ...apply(draft, what) }),
  );
}

const index = fc.nat(6);

const changeOfQuery = fc.oneof(
  changing(fc.tuple(index, queryText), ({ query }, [index, value]) => ({
    query: query.map(([name, old], at) => [name, at === index ? value : old]),
  })),
  changing(index, ({ query }, index) => ({ query: query.toSpliced(index, 1) })),
  changing(index, ({ query }, index) => ({ query: [...query, ...query.slice(index)] })),
  changing(fc.tuple(queryText, queryText), ({ query }, pair) => ({ query: [pair, ...query] })),
);

const changeOfHeaders = fc.oneof(
  changing(fc.tuple(headerName, headerText), ({ headers }, [name, value]) => ({
    headers: { ...headers, [name]: value },
  })),
  changing(fc.tuple(headerName, headerText), ({ headers }, [name, value]) => ({
    headers: { ...headers, [name]: name === "Host" ? value : [headers[name] ?? "", value].flat() },
  })),
  changing(headerName, ({ headers: { ...headers } }, name) => {
    delete headers[name];
    return { headers };
  }),
  changing(fc.tuple(fc.nat(2), tokenPart), ({ headers }, [index, part]) => {
    const [token = "Bearer .."] = [headers.Authorization].flat();
    return { headers: { ...headers, Authorization: token.split(".").toSpliced(index, 1, part).join(".") } };
  }),
);

/** The fields of a body that is a JSON object, each with its value's text; null when it is anything else. */
function fieldsOf(body: Buffer | null): [name: string, text: string][] | null {
  try {
    const value: unknown = JSON.parse(String(body));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, field]) => [name, JSON.stringify(field)]);
  } catch {
    return null;
  }
}

function changeOfFields(change: (fields: [string, string][], at: number, text: string) => [string, string][]) {
  return changing(fc.tuple(fc.nat(3), fieldText), ({ body }, [at, text]) => {
    const fields = fieldsOf(body);
    if (fields === null) return {};
    const pairs = change(fields, at, text).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    return { body: Buffer.from(`{${pairs.join(",")}}`) };
  });
}

const changeOfBody = fc.oneof(
  changing(jsonText, (_draft, json) => ({ body: Buffer.from(json) })),
  changing(fc.uint8Array({ maxLength: 300 }), (_draft, bytes) => ({ body: Buffer.from(bytes) })),
  changing(fc.nat(200), ({ body }, length) => ({ body: body?.subarray(0, length) ?? null })),
  changing(fc.constant("chunked"), ({ headers }, how) => ({ headers: { ...headers, "Transfer-Encoding": how } })),
  // A field is something else, is missing, comes twice, or is one that nobody asked for.
  {
    weight: 3,
    arbitrary: changeOfFields((fields, at, text) => fields.map(([name, old], i) => [name, i === at ? text : old])),
  },
  changeOfFields((fields, at) => fields.toSpliced(at, 1)),
  changeOfFields((fields, at, text) => [...fields, [fields[at]?.[0] ?? "notes", text]]),
  changeOfFields((fields, at, text) => [[at ? "__proto__" : "constructor", text], ...fields]),
);

const methods = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY M-SEARCH".split(" ");
const tails = ["/", "//", "/x", "%00", "%ff", "%", "%2f", ".json", ".data", ";x", "/*", "a".repeat(3_000)];
const heads = [
  "/",
  "//",
  "/./",
  "/..",
  "/%2e%2e",
  "/..%2f..%2fpackage.json",
  "/assets/..%5c..",
  "/assets",
  "/__manifest",
  "/_root.data",
  "/AUTH",
];

const changeOfAddress = fc.oneof(
  changing(fc.constantFrom(...methods), (_draft, method) => ({ method })),
  changing(fc.constantFrom(...tails), ({ path }, tail) => ({ path: path + tail })),
  changing(fc.constantFrom(...heads), ({ path }, head) => ({ path: head + path })),
  changing(fc.webPath(), (_draft, path) => ({ path: path || "/" })),
);

const change = fc.oneof(
  { weight: 5, arbitrary: changeOfQuery },
  { weight: 5, arbitrary: changeOfHeaders },
  { weight: 5, arbitrary: changeOfBody },
  { weight: 2, arbitrary: changeOfAddress },
);

/** Requests that are like one of the good ones but for a few things. */
export function mutatedRequest(good: readonly RequestDraft[]): fc.Arbitrary<RequestDraft> {
  return fc
    .tuple(fc.constantFrom(...good), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([draft, changes]) => changes.reduce((changed, apply) => apply(changed), draft));
}
