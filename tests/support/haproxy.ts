import { freePort } from "../../dev/harness/free-port.ts";
import { findProgram, type ReverseProxy, readDeployed, replace, startProxyProcess } from "./reverse-proxy.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** The path of HAProxy, or null; see `findProgram`. */
export function findHaproxy(): Promise<string | null> {
  return findProgram("haproxy", "haproxy");
}

/**
 * HAProxy with deploy/haproxy.cfg.
 * @param ports the ports of the servers
 */
export async function startHaproxy(
  program: string,
  port: number,
  ports: readonly string[],
): Promise<ReverseProxy> {
  const deployed = await readDeployed("haproxy.cfg");
  return startProxyProcess({
    program,
    port,
    files: { "haproxy.cfg": withoutTls(withServers(deployed, ports), port) },
    args: (folder) => ["-db", "-q", "-f", `${folder}/haproxy.cfg`],
  });
}

function withServers(text: string, ports: readonly string[]): string {
  return replace(text, /^\tserver front-row-1 127\.0\.0\.1:3000(.*)\n/gm, (_line, rest) =>
    ports
      .map(
        (port, index) =>
          `\tserver front-row-${index + 1} 127.0.0.1:${port}${rest.replace("-1", `-${index + 1}`)}\n`,
      )
      .join(""),
  );
}

/**
 * HAProxy with deploy/haproxy-database.cfg.
 * @param prefix the first three numbers of the databases' addresses
 */
export async function startDatabaseHaproxy(prefix: string): Promise<TcpProxy & { port: number }> {
  const port = await freePort();
  const deployed = withoutUser(await readDeployed("haproxy-database.cfg"));
  const ownPort = replace(deployed, /:5000\n/, () => `:${port}\n`);
  const text = replace(ownPort, / 10\.0\.0\./g, () => ` ${prefix}.`);
  const command = (folder: string) => ["haproxy", "-db", "-q", "-f", `${folder}/haproxy.cfg`];
  return { ...(await startTcpProxy({ port, files: { "haproxy.cfg": text }, command })), port };
}

/** The configuration on one loopback port, without TLS, the redirect from http to https, and other users. */
function withoutTls(text: string, port: number): string {
  const plain = replace(withoutUser(text), /(^\tbind .*\n)+/m, () => `\tbind 127.0.0.1:${port}\n`);
  return replace(plain, /^\thttp-request redirect .*\n/m, () => "");
}

/** The configuration for the test's own user. */
function withoutUser(text: string): string {
  return replace(text, /(^\t(user|group|log) .*\n)+/m, () => "");
}
