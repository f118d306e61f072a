// An empty site: Hono, React Router and a pool, with one page that says nothing.
import process from "node:process";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router";
import { endWithParent, pool } from "./serve.ts";

await pool.query("select");
const { query, dataRoutes } = createStaticHandler([{ path: "/", element: "Nothing" }]);
const app = new Hono().get("/", async (c) => {
  const context = await query(c.req.raw);
  if (context instanceof Response) return context;
  const router = createStaticRouter(dataRoutes, context);
  return c.html(renderToString(createElement(StaticRouterProvider, { router, context })));
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (address) => process.send?.(address));
endWithParent();
