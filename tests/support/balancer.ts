import { Agent, createServer, request } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";

/** One address for several servers, asked in turn: what a load balancer is to browsers. */
export interface Balancer {
  origin: string;
  /** Where requests go from now on, in turn; without any they are answered 503. */
  servers: string[];
  close(): Promise<void>;
}

export async function startBalancer(port: number): Promise<Balancer> {
  const servers: string[] = [];
  let turn = 0;
  const agent = new Agent({ keepAlive: false });
  const balancer = createServer((incoming, outgoing) => {
    const server = servers[turn++ % servers.length];
    if (!server) return void outgoing.writeHead(503).end();
    const { method, url, headers } = incoming;
    const forwarded = request(server + url, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return { origin: await listenOnLoopback(balancer, port), servers, close: () => closeAtOnce(balancer) };
}
