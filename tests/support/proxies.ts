import { findCaddy, startCaddy } from "./caddy.ts";
import { findHaproxy, startHaproxy } from "./haproxy.ts";
import { findNginx, startNginx } from "./nginx.ts";
import type { ReverseProxy } from "./reverse-proxy.ts";

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
