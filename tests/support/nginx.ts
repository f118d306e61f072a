import { findProgram, type ReverseProxy, readDeployed, replace, startProxyProcess } from "./reverse-proxy.ts";

/** The path of nginx, or null; see `findProgram`. */
export function findNginx(): Promise<string | null> {
  return findProgram("nginx", "nginx-light");
}

/**
 * nginx with deploy/nginx.conf.
 * @param ports the ports of the servers
 * @param moreFiles further files that it includes, by name
 */
export async function startNginx(
  program: string,
  port: number,
  ports: readonly string[],
  moreFiles: Record<string, string> = {},
): Promise<ReverseProxy> {
  const deployed = await readDeployed("nginx.conf");
  return startProxyProcess({
    program,
    port,
    files: {
      ...moreFiles,
      "front-row.conf": withoutTls(withServers(deployed, ports), port),
      "nginx.conf": mainConfig,
    },
    args: (folder) => ["-p", folder, "-c", `${folder}/nginx.conf`, "-e", `${folder}/error.log`],
  });
}

/** The same with the cache of deploy/nginx-cache.conf. */
export async function startNginxCache(
  program: string,
  port: number,
  ports: readonly string[],
): Promise<ReverseProxy> {
  const deployed = await readDeployed("nginx-cache.conf");
  const cache = replace(deployed, /^proxy_cache_path \S+/m, () => "proxy_cache_path cache");
  return startNginx(program, port, ports, { "front-row-cache.conf": cache });
}

/** An nginx.conf as a distribution has it, with all paths in the test's folder. */
const mainConfig = `
daemon off;
pid pid;
worker_processes 2;
error_log error.log;
events {}
http {
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	include front-row*.conf;
}
`;

function withServers(text: string, ports: readonly string[]): string {
  return replace(text, /^(\tserver 127\.0\.0\.1:)3000(.*;\n)/gm, (_line, address, rest) =>
    ports.map((port) => `${address}${port}${rest}`).join(""),
  );
}

/** The configuration on one loopback port, without TLS and without the redirect from http to https. */
function withoutTls(text: string, port: number): string {
  const oneServer = replace(text, /^server \{\n\tlisten 80;.*?^\}\n/ms, () => "");
  const plain = replace(oneServer, /(^\tlisten .*443 .*\n)+/m, () => `\tlisten 127.0.0.1:${port};\n`);
  return replace(plain, /(^\tssl_.*\n)+/m, () => "");
}
