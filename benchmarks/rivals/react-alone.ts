// React alone: renders the elements of the product's pages, which are ready made.
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { serveInTurn } from "./serve.ts";

/** Of `benchmarks/package.json`, which `npm run bench` alone installs: the types are not there before. */
const ownPackage: string = "html-react-parser";
const { default: parse }: { default: (html: string) => ReactNode } = await import(ownPackage);

serveInTurn(({ body }) => {
  const html = Buffer.from(body).toString();
  const elements = parse(html.replace(/^<!DOCTYPE html>/i, ""));
  const length = renderToString(elements).length;
  if (Math.abs(length / html.length - 1) > 0.05)
    throw new Error(`React alone renders ${length} characters of a page of ${html.length}`);
  return (response) => response.end(renderToString(elements));
});
