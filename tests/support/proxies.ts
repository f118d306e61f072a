import { existsSync } from "node:fs";
import { findHaproxy, startHaproxy } from "./haproxy.ts";
import { findNginx, startNginx } from "./nginx.ts";
import { type ReverseProxy, readDeployed, replace, startProxyProcess } from "./reverse-proxy.ts";

/** A reverse proxy that this machine may have. */
export interface ProxyProgram {
  name: string;
  program: string | null;
  /** Whether it sends a request with a body again, to another server, when it gets no response. */
  resendsBodies: boolean;
  start(program: string, port: number, ports: readonly string[]): Promise<ReverseProxy>;
}

/** All for which deploy/ has a configuration. */
export async function findProxies(): Promise<ProxyProgram[]> {
  return [
    { name: "nginx", program: await findNginx(), resendsBodies: true, start: startNginx },
    { name: "HAProxy", program: await findHaproxy(), resendsBodies: true, start: startHaproxy },
    { name: "Caddy", program: await findCaddy(), resendsBodies: false, start: startCaddy },
  ];
}

/** The path of Caddy, or null with a message on the console; it is never installed, because it is large. */
async function findCaddy(): Promise<string | null> {
  const found = ["/usr/bin/caddy", "/usr/local/bin/caddy", "/opt/homebrew/bin/caddy"].find(existsSync);
  if (!found) console.log("Skipped: several instances behind caddy, because there is none. Install caddy.");
  return found ?? null;
}

/**
 * Caddy with deploy/Caddyfile.
 * @param ports the ports of the servers
 */
async function startCaddy(program: string, port: number, ports: readonly string[]): Promise<ReverseProxy> {
  const deployed = await readDeployed("Caddyfile");
  const several = replace(deployed, /^\tto 127\.0\.0\.1:3000$/m, () =>
    ["\tto", ...ports.map((each) => `127.0.0.1:${each}`)].join(" "),
  );
  const quiet = replace(several, /^\{\n/m, () => "{\n\tadmin off\n\tlog {\n\t\tlevel ERROR\n\t}\n");
  return startProxyProcess({
    program,
    port,
    files: { Caddyfile: replace(quiet, /^front-row\.example \{/m, () => `http://127.0.0.1:${port} {`) },
    args: (folder) => ["run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"],
  });
}
