import { Hono } from "hono";
import { proxy } from "hono/proxy";

/** As the site's server reaches the fakes, without a trailing slash. */
export type FakeProviderUrls = Readonly<Record<"google" | "github", string>>;

interface Mount {
  url: string;
  /** The browser reaches the fake below this path. */
  path: string;
}

/**
 * Puts the fakes below `/fakes` on the site's own port, because in a container or over ssh, the browser reaches
 * only that port. The site's server calls the fakes directly.
 */
export function putFakesBehind(app: Hono, urls: FakeProviderUrls): Hono {
  const mounts = Object.entries(urls).map(([name, url]) => ({ url, path: `/fakes/${name}` }));
  const site = new Hono();
  for (const mount of mounts) site.all(`${mount.path}/*`, ({ req }) => forward(req.raw, mount));
  site.all("*", async (c) => redirectToMounts(await app.fetch(c.req.raw, c.env), mounts));
  return site;
}

async function forward(request: Request, { url, path }: Mount): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.delete("host");
  const response = await proxy(url + pathname.slice(path.length) + search, {
    raw: request,
    headers,
    redirect: "manual",
  });
  const cookies = response.headers.getSetCookie();
  response.headers.delete("set-cookie");
  for (const cookie of cookies)
    response.headers.append("set-cookie", cookie.replace(/(; *path=)(?=\/)/i, `$1${path}`));
  const location = response.headers.get("location");
  if (location?.startsWith("/")) response.headers.set("location", path + location);
  return redirectToMounts(response, [{ url, path }]);
}

function redirectToMounts(response: Response, mounts: Mount[]): Response {
  if (response.status < 300 || response.status > 399) return response;
  const location = response.headers.get("location") ?? "";
  const mount = mounts.find(({ url }) => location.startsWith(`${url}/`));
  if (mount) response.headers.set("location", mount.path + location.slice(mount.url.length));
  return response;
}
