/** At Google, the visitor may be signed in already. */
export type ProviderChoice = { email: string; verified?: boolean; before?: boolean } | "deny" | "fail";

/** Resolves with the URL of the OAuth callback, which is not requested. */
export async function signInAtProvider(authorizeUrl: string, choice: ProviderChoice): Promise<string> {
  const browse = createBrowser(new URL(authorizeUrl).host);
  const page = await browse(authorizeUrl);
  if ("left" in page) return page.left;
  const submitted = await browse(page.url, formOf(choice));
  if ("left" in submitted) return submitted.left;
  throw new Error(`The provider stays on its page: ${submitted.text}`);
}

function formOf(choice: ProviderChoice): URLSearchParams {
  if (typeof choice === "string") return new URLSearchParams({ email: "", verified: "yes", action: choice });
  const { email, verified = true, before = false } = choice;
  const checked = { ...(verified && { verified: "yes" }), ...(before && { before: "yes" }) };
  return new URLSearchParams({ email, ...checked, action: "continue" });
}

type Destination = { url: string; text: string } | { left: string };

/** Keeps the cookies of one host until they expire. No two of a sign-in differ in their paths alone. */
export function createBrowser(host: string) {
  const cookies = new Map<string, string>();
  return async function browse(url: string, form?: URLSearchParams): Promise<Destination> {
    const response = await fetch(url, {
      method: form ? "POST" : "GET",
      body: form,
      headers: { accept: "text/html", cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      redirect: "manual",
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/;\s*expires=Thu, 01 Jan 1970/i.test(header)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    if (!location) {
      if (!response.ok) throw new Error(`The provider responded with ${response.status}: ${text}`);
      return { url, text };
    }
    const next = new URL(location, url);
    return next.host === host ? browse(next.href) : { left: next.href };
  };
}
