import fc from "fast-check";

const words = (text: string) => fc.constantFrom(...text.split(" "));

export const queryText = fc.oneof(
  words("% %ff %00 %ED%A0%80 %C0%AF + & = # %0d%0aX:y [] __proto__ constructor null -1 1e999 * ' %27;drop"),
  fc.constantFrom("a".repeat(43), "a".repeat(6_000), "%3Cscript%3E".repeat(300), "9".repeat(400)),
  words("http%3A%2F%2Fevil.example%2F 0 2 007 2.5 %EF%BC%92 no YES none very_little,yes"),
  fc.string({ unit: "binary" }).map(encodeURIComponent),
  fc.webQueryParameters(),
);

const base64url = (text: string) => Buffer.from(text).toString("base64url");

export const tokenPart = fc.oneof(
  fc.json().map(base64url),
  fc
    .record(
      {
        alg: fc.constantFrom("none", "ES256", "HS256", 1),
        kid: fc.oneof(fc.string(), fc.jsonValue()),
        crit: fc.jsonValue(),
        b64: fc.boolean(),
      },
      { requiredKeys: ["alg"] },
    )
    .map((header) => base64url(JSON.stringify(header))),
  fc
    .record({ sub: fc.oneof(fc.uuid(), fc.jsonValue()), exp: fc.oneof(fc.integer(), fc.jsonValue()) })
    .map((claims) => base64url(JSON.stringify(claims))),
  fc.constantFrom("", "=", "A", "A".repeat(86), base64url("\ud800")),
);

const texts = (...lines: string[]) => fc.constantFrom(...lines.flatMap((line) => line.split(" | ")));

/** Node's client sends only these characters in headers. */
export const headerText = fc.oneof(
  fc.constantFrom("", " ", "Bearer ", "é".repeat(50), "a".repeat(3_000)),
  texts("Bearer | bearer x | Bearer a.b.c | Basic YTpi | Bearer x y | null | __proto__"),
  texts("2024-99-99 | 9999-12-31 | 2023-12-31 | 2024-01-01, 2024-01-01 | text/plain"),
  texts("multipart/form-data; boundary=x | application/x-www-form-urlencoded"),
  texts("application/json; charset=utf-16 | http://evil.example | gzip | br | br;q=0, gzip;q=x"),
  texts("identity;q=0 | *;q=0 | zstd, deflate, br;q=1e9 | bytes=0- | bytes=5-1 | bytes=-0"),
  texts("bytes=-99999999999999999999 | bytes=1-2,4-5 | bytes=9- | lines=1-2"),
  texts('* | "x" | W/" | "x", * | ,,, | Sat, 01 Jan 2000 00:00:00 GMT | 0 | 127.0.0.1, ::1'),
  texts("2001:db8::1, 10.0.0.1 | for=unknown;host=evil | cross-site | iframe"),
  fc.tuple(tokenPart, tokenPart, tokenPart).map((parts) => `Bearer ${parts.join(".")}`),
  fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((byte) => String.fromCharCode(byte)) }),
);

export const headerName = fc.oneof(
  words("apikey Authorization X-Supabase-Api-Version Content-Type Accept Accept-Encoding Content-Encoding"),
  words(
    "Cookie Range If-Range If-None-Match If-Match If-Modified-Since Host Origin Referer Forwarded X-Forwarded-For TE",
  ),
  words("X-Forwarded-Host X-Forwarded-Proto X-HTTP-Method-Override Cache-Control"),
  words("Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-Dest"),
);

export const jsonText = fc.oneof(
  fc.json(),
  fc.constantFrom(
    "",
    ...'[ null 1 "x" {} [] {"refresh_token": {"refresh_token":"\\u0000"} NaN {\'a\':1}'.split(" "),
  ),
  words('{"__proto__":{"refresh_token":"x"}} \ufeff{"refresh_token":"x"} {"notes":"\\ud800"} {"a":1,}'),
  fc.integer({ min: 1, max: 4_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc
    .constantFrom(8_000, 8_192, 8_193, 65_536, 100_000)
    .map((size) => JSON.stringify({ refresh_token: "a".repeat(size) })),
);

export const fieldText = fc.oneof(
  fc.json(),
  words("null true 0 -0 1e999 1e-400 [] {} [null] [[[]]] 123456789012345678901234567890"),
  texts("\\u0000 | \\ud800 | \\udc00\\ud800 | \\u202e | \\n | no | yes | YES").map((text) => `"${text}"`),
  fc.constantFrom("", " ", "🎭".repeat(501)).map((text) => `"${text}"`),
  fc.constantFrom(900, 1_000, 1_001, 20_000).map((length) => `"${"a".repeat(length)}"`),
  fc.constantFrom('{"toString":"yes"}', '{"__proto__":"yes"}', '{"length":1,"0":"yes"}', '["yes"]'),
  fc.integer({ min: 1, max: 3_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
);
