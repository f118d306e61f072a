import { execFileSync, spawnSync } from "node:child_process";
import { freePort } from "../../dev/harness/free-port.ts";
import { type Change, findProgram, readDeployed, startProxy } from "./proxy-process.ts";

export type ProxyProgram = ReturnType<typeof proxyProgram>;

/** A running proxy, which serves the site as front-row.example, too. */
export type ReverseProxy = Awaited<ReturnType<ProxyProgram["start"]>>;
type Ports = { servers: readonly string[]; hanging: string } & Record<"own" | "plain" | "secure", number>;
type Configured = { args: (folder: string) => readonly string[]; files: Record<string, string> };
type Configure = (ports: Ports) => Promise<Configured>;

/** @param resendsBodies whether it retries a request with a body at another server */
function proxyProgram(name: string, program: string | null, resendsBodies: boolean, configure: Configure) {
  return {
    name,
    program,
    resendsBodies,
    /** @param servers ports of the instances @param own the proxy's port @param hanging its timeout for an instance */
    async start(servers: readonly string[], own: number, hanging = "2s") {
      const [plain, secure] = [await freePort(), await freePort()];
      const { args, files } = await configure({ servers, own, plain, secure, hanging });
      const command = (folder: string) => [program ?? name, ...args(folder)];
      const started = await startProxy({ command, files, port: own, isHttp: true });
      // These ports replace 80 and 443. Caddy has only the first.
      return { ...started, plainPort: plain, securePort: secure };
    },
  };
}

export const findProxies = async () => [await findNginx(), await findCaddy()];

/** On a busy machine every instance may take as long as one that hangs. */
export const patient = (proxy: ProxyProgram): ProxyProgram => ({
  ...proxy,
  start: (servers, own) => proxy.start(servers, own, "60s"),
});

const nginxConf = `
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
	include front-row.conf;
}
`;

export async function findNginx(): Promise<ProxyProgram> {
  const program = await findProgram("nginx", "nginx-light");
  return proxyProgram("nginx", program, true, async ({ servers, own, plain, secure, hanging }) => {
    const [, version = ""] = /nginx\/(\S+)/.exec(spawnSync(program ?? "", ["-v"]).stderr?.toString()) ?? [];
    const isOld = version.localeCompare("1.25.1", "en", { numeric: true }) < 0;
    const site = await readDeployed("nginx.conf", [
      [/^\t(server 127\.0\.0\.1:)3000(.*;\n)/gm, (_line, address, rest) => servers.map((port) => `\t${address}${port}${rest}`).join("")],
      [/^\tlisten \[::\].*\n/gm, ""],
      [/read_timeout 2s/, `read_timeout ${hanging}`],
      [/listen 80\b/g, `listen 127.0.0.1:${plain}`],
      [/listen 443 ssl(.*)/g, (_line, rest) => `listen 127.0.0.1:${own}${rest}\n\tlisten 127.0.0.1:${secure} ssl${rest}`],
      [/server_name /g, "server_name 127.0.0.1 "],
      [/\/etc\/letsencrypt\/live\/front-row.example\/\w+.pem/g, "front-row.pem"],
      ...(isOld ? [[/^\thttp2 on;\n/m, ""] satisfies Change] : []),
    ]); // biome-ignore format: one change a line
    const files = { "nginx.conf": nginxConf, "front-row.conf": site, "front-row.pem": createCertificate() };
    return { args: () => ["-p", ".", "-c", "nginx.conf", "-e", "error.log"], files };
  });
}

async function findCaddy(): Promise<ProxyProgram> {
  const program = await findProgram("caddy"); // it is large
  return proxyProgram("Caddy", program, false, async ({ servers, own, plain, hanging }) => {
    const site = await readDeployed("Caddyfile", [
      [/header_timeout 2s/, `header_timeout ${hanging}`],
      [/^\tto 127\.0\.0\.1:3000$/m, ["\tto", ...servers.map((port) => `127.0.0.1:${port}`)].join(" ")],
      [/^\{\n/m, "{\n\tadmin off\n\tlog {\n\t\tlevel ERROR\n\t}\n"],
      [/^http:\/\/(.*) \{/gm, (_line, name) => `http://${name}:${plain} {`],
      [/^front-row\.example \{/m, `http://127.0.0.1:${own} {`],
    ]);
    const args = () => ["run", "--config", "Caddyfile", "--adapter", "caddyfile"];
    return { args, files: { Caddyfile: site } };
  });
}

/** A key and its certificate. */
function createCertificate(): string {
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=front-row.example -keyout -";
  return execFileSync("openssl", args.split(" "), { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" });
}

/** HAProxy with deploy/cluster/haproxy.cfg. @param prefix the first three numbers of the databases' addresses */
export async function startDatabaseHaproxy(prefix: string) {
  const port = await freePort();
  const text = await readDeployed("cluster/haproxy.cfg", [
    [/(^\t(user|group|log) .*\n)+/m, ""], // as the test's own user
    [/:5000\n/, `:${port}\n`],
    [/ 10\.0\.0\./g, ` ${prefix}.`],
  ]);
  const command = () => ["haproxy", "-db", "-q", "-f", "haproxy.cfg"];
  return { ...(await startProxy({ port, files: { "haproxy.cfg": text }, command })), port };
}
