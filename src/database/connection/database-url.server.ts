import { getCACertificates } from "node:tls";
import type pg from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { messageOf } from "../../lib/error-message.ts";

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof sslModes)[number];

const values: Record<string, readonly string[]> = {
  sslmode: sslModes,
  sslnegotiation: ["postgres", "direct"],
  // All mean the same here: the site uses only a server that takes writes.
  target_session_attrs: ["any", "read-write", "primary"],
  channel_binding: ["disable", "prefer", "require"],
};

/** Other names would have no effect, and are refused. */
const freeParameters = [
  "host",
  "port",
  "user",
  "password",
  "options",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "client_encoding",
  "replication",
];

/** Never quotes a password. */
export function findUrlProblem(url: string): string | null {
  if (!/^postgres(ql)?:\/\//i.test(url)) return "must be a postgres:// URL";
  if (url.includes("#")) return "has a #: write %23 in a password";
  if (/%(?![\da-f]{2})/i.test(url))
    return "has a % that begins no code such as %2F: write %25 for it in a password";
  const { authority, params } = splitUrl(url);
  // Then a password is before the @: the messages below must not quote it.
  if (url.slice(url.indexOf(authority, url.indexOf("//")) + authority.length).includes("@"))
    return "has an @ behind a / or ?: in a user or password write %2F for /, %3F for ? and %40 for @";
  if (`${authority.replace(/^.*@/, "")}${params.get("host") ?? ""}`.includes(",")) {
    return "names several hosts, which is not supported: name one, such as a proxy that finds the primary (HAProxy)";
  }
  for (const [name, value] of params) {
    const allowed = values[name];
    if (allowed && !allowed.includes(value))
      return `has ${name}=${value}, but only ${allowed.join(", ")} are supported`;
    if (!allowed && !freeParameters.includes(name))
      return `has the parameter ${name}, which is not supported: remove it`;
  }
  return findTlsProblem(url, params) ?? findParseProblem(url);
}

function findTlsProblem(url: string, params: URLSearchParams): string | null {
  const mode = sslModeOf(url);
  const root = params.get("sslrootcert");
  if (mode === "verify-ca" && !root) return "has sslmode=verify-ca, which needs sslrootcert";
  if (root === "system" && mode !== "verify-full")
    return "has sslrootcert=system, which needs sslmode=verify-full";
  if (root && !/^(require|verify-)/.test(mode))
    return "has sslrootcert, which needs sslmode=verify-full or verify-ca";
  return null;
}

function findParseProblem(url: string): string | null {
  try {
    connectionConfig(url);
    return null;
  } catch (error) {
    const isFile = error instanceof Error && "path" in error;
    if (isFile) return `names a file that cannot be read: ${messageOf(error)}`;
    if (error instanceof URIError)
      return "has codes such as %FF that are no text: write %25 for a % in a password";
    return "must be a postgres:// URL";
  }
}

export function connectionConfig(url: string): pg.ClientConfig {
  const { address, params } = splitUrl(url);
  const usesSystemStore = params.get("sslrootcert") === "system";
  if (usesSystemStore) params.delete("sslrootcert");
  const enableChannelBinding = params.get("channel_binding") === "require";
  for (const name of ["channel_binding", "target_session_attrs"]) params.delete(name);
  const config = toClientConfig(parse(joinUrl(address, params), { useLibpqCompat: true }));
  if (config.host?.startsWith("/")) return { ...config, ssl: false };
  return {
    ...config,
    ...(enableChannelBinding && { enableChannelBinding }),
    ...(usesSystemStore && { ssl: { ca: getCACertificates("system") } }),
  };
}

export function describeServer(url: string): string {
  const { address, params } = splitUrl(url);
  const kept = new URLSearchParams([...params].filter(([name]) => name === "host" || name === "port"));
  const { host, port, database } = parse(joinUrl(address, kept));
  return `${host || "the local server"}${port ? `:${port}` : ""}/${database ?? ""}`;
}

export function sslModeOf(url: string): SslMode {
  const wanted = splitUrl(url).params.get("sslmode") ?? process.env.PGSSLMODE;
  return sslModes.find((mode) => mode === wanted) ?? "prefer";
}

/** In the order to try: `allow` and `prefer` leave encryption open. */
export function tlsVariants(url: string): string[] {
  const mode = sslModeOf(url);
  if (mode === "prefer") return [withSslMode(url, "require"), withSslMode(url, "disable")];
  if (mode === "allow") return [withSslMode(url, "disable"), withSslMode(url, "require")];
  return [withSslMode(url, mode)];
}

function withSslMode(url: string, mode: SslMode): string {
  const { address, params } = splitUrl(url);
  params.set("sslmode", mode);
  return joinUrl(address, params);
}

/** `URL` would refuse a user without a host: `postgres://me@/db`. */
function splitUrl(url: string) {
  const [address = "", query = ""] = url.split("?", 2);
  const authority = /^\w+:\/\/([^/]*)/.exec(address)?.[1] ?? "";
  return { address, authority, params: new URLSearchParams(query) };
}

function joinUrl(address: string, params: URLSearchParams): string {
  // pg-connection-string does not decode the `+` for a space in `options`.
  const query = params.toString().replaceAll("+", "%20");
  return query ? `${address}?${query}` : address;
}
