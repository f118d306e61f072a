import { findNginx, startNginxCache } from "./nginx.ts";
import type { ProxyProgram } from "./proxies.ts";
import { findVarnish, startVarnish } from "./varnish.ts";

/** The shared caches for which deploy/ has a configuration. */
export async function findCaches(): Promise<ProxyProgram[]> {
  return [
    { name: "Varnish", program: await findVarnish(), resendsBodies: false, start: startVarnish },
    { name: "nginx", program: await findNginx(), resendsBodies: true, start: startNginxCache },
  ];
}
