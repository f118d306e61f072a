/** What a site's server asks a provider for. */
export type Endpoint = "discovery" | "jwks" | "token" | "user" | "emails";

/** What can go wrong with an endpoint. */
export type Fault =
  /** The answer comes, so many milliseconds late. */
  | { kind: "slow"; ms: number }
  /** No answer ever; the connection stays open until the client gives up or the server closes. */
  | { kind: "hang" }
  /** The connection is cut before anything was answered. */
  | { kind: "down" }
  /** An error, with a page of HTML. */
  | { kind: "status"; status: number }
  /** 200 with a page of HTML, or with `{}`. */
  | { kind: "garbage" | "empty" }
  /** 200, and a JSON text that never ends. */
  | { kind: "endless" };

type JsonObject = Record<string, unknown>;

/** Everything that is wrong with a provider; plain data that tests change while it runs. */
export interface IdentityFaults {
  /** The fault of each endpoint that has one. */
  endpoints: Map<Endpoint, Fault>;
  /** Puts something else in place of what an endpoint would have answered. */
  change: {
    discovery?: (document: JsonObject) => unknown;
    jwks?: (keys: JsonObject) => unknown;
    token?: (tokens: JsonObject) => unknown;
    user?: (user: JsonObject) => unknown;
    emails?: (emails: JsonObject[]) => unknown;
  };
  /** Changes what the ID token claims before it is signed. Google's alone, as is the next. */
  tamper: (claims: JsonObject) => JsonObject;
  /** How the ID token is signed; HS256 takes the public key for the secret, as a forger could. */
  signWith: "right key" | "wrong key" | "none" | "HS256";
}

/** A provider that does as it should. */
export function noIdentityFaults(): IdentityFaults {
  return { endpoints: new Map(), change: {}, tamper: (claims) => claims, signWith: "right key" };
}
