import { existsSync } from "node:fs";
import { type ReverseProxy, readDeployed, replace, startProxyProcess } from "./reverse-proxy.ts";

/** The path of Caddy, or null with a message on the console; it is never installed, because it is large. */
export async function findCaddy(): Promise<string | null> {
  const found = ["/usr/bin/caddy", "/usr/local/bin/caddy", "/opt/homebrew/bin/caddy"].find(existsSync);
  if (!found) console.log("Skipped: several instances behind caddy, because there is none. Install caddy.");
  return found ?? null;
}

/**
 * Caddy with deploy/Caddyfile.
 * @param ports the ports of the servers
 */
export async function startCaddy(
  program: string,
  port: number,
  ports: readonly string[],
): Promise<ReverseProxy> {
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
