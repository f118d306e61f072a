import { Agent, createServer, request } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";

/** A round-robin load balancer. */
export interface Balancer {
  origin: string;
  /** The origins of its servers. A test may change them; without any, the balancer answers 503. */
  servers: string[];
  close(): Promise<void>;
}

export async function startBalancer(port: number): Promise<Balancer> {
  const servers: string[] = [];
  let next = 0;
  const agent = new Agent({ keepAlive: false });
  const balancer = createServer((incoming, outgoing) => {
    const server = servers[next++ % servers.length];
    if (!server) return void outgoing.writeHead(503).end();
    const { method, url, headers } = incoming;
    const forwarded = request(server + url, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return { origin: await listenOnLoopback(balancer, port), servers, close: () => closeAtOnce(balancer) };
}
