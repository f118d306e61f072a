export type Endpoint = "discovery" | "jwks" | "token" | "user" | "emails";

export type Fault =
  /** Delays the response. */
  | { kind: "slow"; ms: number }
  /** The connection stays open until the client gives up or the server closes. */
  | { kind: "hang" }
  /** The connection is closed before the response. */
  | { kind: "unavailable" }
  /** With a page of HTML. */
  | { kind: "status"; status: number }
  /** 200 with a page of HTML, or with `{}`. */
  | { kind: "garbage" | "empty" }
  /** 200, and a JSON text that never ends. */
  | { kind: "endless" }
  /** 307 to `/elsewhere`. */
  | { kind: "redirect" }
  /** 400, and an error of OAuth whose text is `from the wire`. */
  | { kind: "refusal" };

type JsonObject = Record<string, unknown>;

/** Plain data: tests change it while the server runs. */
export interface IdentityFaults {
  endpoints: Map<Endpoint, Fault>;
  /** Replaces the JSON that an endpoint would send. */
  change: {
    discovery?: (document: JsonObject) => unknown;
    jwks?: (keys: JsonObject) => unknown;
    token?: (tokens: JsonObject) => unknown;
    user?: (user: JsonObject) => unknown;
    emails?: (emails: JsonObject[]) => unknown;
  };
  /** Changes the claims of Google's ID token before it is signed. */
  tamper: (claims: JsonObject) => JsonObject;
  /** How Google signs the ID token. HS256 uses the public key as the secret, as an attacker could. */
  signWith: "right key" | "wrong key" | "none" | "HS256";
}

export function noIdentityFaults(): IdentityFaults {
  return { endpoints: new Map(), change: {}, tamper: (claims) => claims, signWith: "right key" };
}
