import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

const message = z.strictObject({
  text: z.string(),
  content: z.string().optional(),
  message: z.string().optional(),
  allowed_mentions: z.strictObject({ parse: z.array(z.string()) }).optional(),
});

/** A real HTTP receiver of webhook messages on loopback. */
export interface WebhookReceiver {
  url: string;
  /** All messages that were sent, accepted or not. */
  messages: z.infer<typeof message>[];
  /** How the next requests are answered, one after the other; then with 200. */
  answers: ((response: ServerResponse) => void)[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const messages: WebhookReceiver["messages"] = [];
  const answers: WebhookReceiver["answers"] = [];
  const server = createServer(async (request, response) => {
    messages.push(message.parse(JSON.parse(await text(request))));
    const answer = answers.shift() ?? ((accepted) => void accepted.end("ok"));
    answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook/secret`,
    messages,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
