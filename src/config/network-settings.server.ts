import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { codeOf, messageOf } from "../lib/error-message.ts";
import { ConfigError } from "./config-error.server.ts";

type Variables = NodeJS.Dict<string>;

/** Node reads these before any of our code runs. */
const readByNodeAlone = [
  "NODE_OPTIONS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "NODE_USE_SYSTEM_CA",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
];

/** In ms. Node's default of 250 is too short for distant servers, and for a lost packet, sent again after 1 s. */
const CONNECT_TIMEOUT = 2_000;

/** For proxies and certificate authorities, which Node reads only from its environment. */
export function applyNetworkSettings(variables: Variables, environment: Variables = process.env): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(
    Math.max(CONNECT_TIMEOUT, net.getDefaultAutoSelectFamilyAttemptTimeout()),
  );
  const isFromFile = (name: string) => Boolean(variables[name]) && variables[name] !== environment[name];
  const ineffective = readByNodeAlone.filter(isFromFile);
  if (ineffective.length > 0) {
    throw new ConfigError(
      `${ineffective.join(", ")} in the settings file would have no effect, because Node reads it at its start: set it in the environment (Environment= of the service).`,
    );
  }
  const { HTTP_PROXY, HTTPS_PROXY, http_proxy = HTTP_PROXY, https_proxy = HTTPS_PROXY } = variables;
  const proxies = { http_proxy, https_proxy };
  const { NODE_USE_ENV_PROXY, NODE_EXTRA_CA_CERTS } = variables;
  // Like Node, ignores a proxy that only the environment names: it is for other programs.
  const isMeant = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].some(isFromFile);
  if (NODE_USE_ENV_PROXY ? NODE_USE_ENV_PROXY === "1" : isMeant) proxyRequests(proxies, variables);
  if (NODE_EXTRA_CA_CERTS) trustCertificates(NODE_EXTRA_CA_CERTS);
}

/** Fakes and tests use these. */
const loopback = ["localhost", "127.0.0.1", "[::1]"];

function proxyRequests(proxies: Variables, { NO_PROXY, no_proxy = NO_PROXY }: Variables): void {
  try {
    http.setGlobalProxyFromEnv({ ...proxies, no_proxy: [no_proxy, ...loopback].filter(Boolean).join(",") });
  } catch (error) {
    // The message may quote a proxy's password.
    throw new ConfigError(`HTTP_PROXY and HTTPS_PROXY must be http(s) URLs of proxies (${codeOf(error)}).`);
  }
}

function trustCertificates(file: string): void {
  try {
    const certificates = readFileSync(file, "utf8").match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    );
    if (!certificates) throw new Error("no certificate in it");
    tls.setDefaultCACertificates([...tls.getCACertificates("default"), ...certificates]);
  } catch (error) {
    throw new ConfigError(
      `NODE_EXTRA_CA_CERTS must be a file with certificates in PEM format (${codeOf(error) || messageOf(error)}).`,
    );
  }
}
