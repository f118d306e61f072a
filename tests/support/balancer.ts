import { Agent, createServer, request } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";

/** The balancer's answer while it has no servers. Without a body, browsers would show a page of their own. */
export const NO_SERVER = "No server";

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A round-robin load balancer. */
export async function startBalancer(port: number) {
  const options = {
    /** The origins of its servers. A test may change them; without any, the balancer answers 503. */
    servers: [] as string[],
    /** Whether the response to a path is lost: the server has given it, and the connection breaks. */
    losesResponseTo: (_path: string): boolean => false,
    /** What a path gets in place of a server's response. */
    answerTo: (_path: string): Answer | null => null,
  };
  let next = 0;
  const agent = new Agent({ keepAlive: false });
  const balancer = createServer((incoming, outgoing) => {
    const server = options.servers[next++ % options.servers.length];
    if (!server) return void outgoing.writeHead(503, { "content-type": "text/plain" }).end(NO_SERVER);
    const { method, url = "/", headers } = incoming;
    const answer = options.answerTo(url);
    if (answer) return void outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    const forwarded = request(server + url, { method, headers, agent }, (response) => {
      if (options.losesResponseTo(url)) return void outgoing.destroy();
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const origin = await listenOnLoopback(balancer, port);
  return Object.assign(options, { origin, close: () => closeAtOnce(balancer) });
}
