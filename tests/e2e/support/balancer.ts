import { Agent, createServer, request } from "node:http";
import { closeAtOnce, listenOnLoopback } from "../../../dev/loopback-server.ts";

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export async function startBalancer(servers: readonly string[], port = 0) {
  /** By path: a response in place of a server's. */
  const options = { answerTo: (_path: string): Answer | null => null };
  let next = 0;
  const agent = new Agent({ keepAlive: false });
  const balancer = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const answer = options.answerTo(url);
    if (answer) {
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    const server = servers[next++ % servers.length] ?? "";
    const forwarded = request(server + url, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const origin = await listenOnLoopback(balancer, port);
  return Object.assign(options, { origin, close: () => closeAtOnce(balancer) });
}
