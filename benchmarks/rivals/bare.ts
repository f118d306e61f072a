// The limit: a bare `node:http` server that sends the product's responses from memory.
import { serveInTurn } from "./serve.ts";

serveInTurn(({ headers, body }) => (response) => {
  response.writeHead(200, headers);
  response.end(body);
});
