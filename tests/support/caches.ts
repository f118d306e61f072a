import { findNginx, startNginxCache } from "./nginx.ts";
import type { ProxyProgram } from "./proxies.ts";
import { findProgram, type ReverseProxy, readDeployed, replace, startProxyProcess } from "./reverse-proxy.ts";

/** The shared caches for which deploy/ has a configuration. */
export async function findCaches(): Promise<ProxyProgram[]> {
  return [
    { name: "Varnish", program: await findVarnish(), resendsBodies: false, start: startVarnish },
    { name: "nginx", program: await findNginx(), resendsBodies: true, start: startNginxCache },
  ];
}

/** The path of Varnish, or null; see `findProgram`. */
function findVarnish(): Promise<string | null> {
  return findProgram("varnishd", "varnish");
}

/**
 * Varnish with deploy/varnish.vcl.
 * @param ports the ports of the servers
 */
async function startVarnish(program: string, port: number, ports: readonly string[]): Promise<ReverseProxy> {
  return startProxyProcess({
    program,
    port,
    files: { "default.vcl": withServers(await readDeployed("varnish.vcl"), ports) },
    args: (folder) => [
      ...["-F", "-a", `127.0.0.1:${port}`, "-f", `${folder}/default.vcl`, "-n", `${folder}/work`],
      // Without the privileges of another user, which a test may not have.
      ...["-j", "none", "-s", "default,64m", "-p", "thread_pools=1"],
    ],
  });
}

function withServers(text: string, ports: readonly string[]): string {
  const backends = replace(text, /^backend front_row_1 \{.*?^\}\n/ms, (backend) =>
    ports
      .map((port, index) => backend.replace("front_row_1", nameOf(index)).replace('"3000"', `"${port}"`))
      .join("\n"),
  );
  return replace(backends, /^\tinstances\.add_backend\(front_row_1\);\n/m, () =>
    ports.map((_port, index) => `\tinstances.add_backend(${nameOf(index)});\n`).join(""),
  );
}

const nameOf = (index: number) => `front_row_${index + 1}`;
