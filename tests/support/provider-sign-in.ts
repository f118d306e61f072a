/** Somebody at a provider's sign-in page: who they say they are there, or what they do instead. */
export type ProviderChoice = { email: string; verified?: boolean } | "deny" | "fail";

/**
 * Goes through a fake provider's sign-in as a browser would, without one: follows the provider's redirects
 * from the address that the site sent the person to, keeps its cookies, and sends the page's form. Resolves
 * with the first address that leads back to the site, which is not requested. An e-mail is verified unless it
 * says otherwise.
 * @throws Error with the page's text when the provider does not let the person through
 */
export async function signInAtProvider(authorizeUrl: string, person: ProviderChoice): Promise<string> {
  const browse = createBrowser(new URL(authorizeUrl).host);
  const page = await browse(authorizeUrl);
  if ("left" in page) return page.left;
  const answered = await browse(page.url, formOf(person));
  if ("left" in answered) return answered.left;
  throw new Error(`The provider stays on its page: ${answered.text}`);
}

/** The fields that the page's second form sends. */
function formOf(person: ProviderChoice): URLSearchParams {
  if (typeof person === "string") return new URLSearchParams({ email: "", verified: "yes", action: person });
  const { email, verified = true } = person;
  return new URLSearchParams({ email, ...(verified && { verified: "yes" }), action: "continue" });
}

/** Where a browser has come to: a page of the provider, or an address elsewhere. */
type Place = { url: string; text: string } | { left: string };

/** A browser with cookies of its own that follows redirects as long as they stay at one host. */
export function createBrowser(host: string) {
  const cookies = createCookieJar();
  return async function browse(url: string, form?: URLSearchParams): Promise<Place> {
    const response = await fetch(url, {
      method: form ? "POST" : "GET",
      body: form,
      headers: { accept: "text/html", cookie: cookies.for(url) },
      redirect: "manual",
    });
    cookies.keep(response.headers.getSetCookie());
    const text = await response.text();
    const location = response.headers.get("location");
    if (!location) {
      if (!response.ok) throw new Error(`The provider answered ${response.status}: ${text}`);
      return { url, text };
    }
    const next = new URL(location, url);
    return next.host === host ? browse(next.href) : { left: next.href };
  };
}

/** The cookies of one host: each is sent to its path and below, until it is taken back. */
function createCookieJar() {
  const jar = new Map<string, { path: string; pair: string }>();
  return {
    keep(headers: string[]): void {
      for (const header of headers) {
        const [pair = "", ...attributes] = header.split(/;\s*/);
        const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice("path=".length) ?? "/";
        const name = `${pair.split("=", 1)[0]} ${path}`;
        if (attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute))) jar.delete(name);
        else jar.set(name, { path, pair });
      }
    },
    for(url: string): string {
      const { pathname } = new URL(url);
      const sent = [...jar.values()].filter(({ path }) => `${pathname}/`.startsWith(path.replace(/\/?$/, "/")));
      return sent.map(({ pair }) => pair).join("; ");
    },
  };
}
