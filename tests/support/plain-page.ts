import { type Document, type Element, type HTMLButtonElement, Window } from "happy-dom";

export interface PlainPage {
  status: number;
  address: string;
  document: Document;
  one(selector: string, text?: string): Element;
  texts(selector: string): string[];
  follow(name: string): Promise<PlainPage>;
  /** Types into `fields` first. */
  press(name: string, fields?: Record<string, string>): Promise<PlainPage>;
}

export async function openPage(
  get: (path: string) => Promise<Response>,
  address: string,
  post?: (path: string, body: URLSearchParams) => Promise<Response>,
  answer: Promise<Response> = get(address),
): Promise<PlainPage> {
  const response = await answer;
  const { document, FormData } = new Window({ url: `http://site.example${address}` });
  document.write(await response.text());

  const find = (selector: string, text?: string) =>
    [...document.querySelectorAll(selector)].filter(
      (element) =>
        text === undefined || textOf(element) === text || element.getAttribute("aria-label") === text,
    );
  function one(selector: string, text?: string): Element {
    const [only, ...others] = find(selector, text);
    if (!only || others.length > 0)
      throw new Error(`${address} has ${others.length + (only ? 1 : 0)} of ${selector} ${text ?? ""}`);
    return only;
  }

  return {
    status: response.status,
    address,
    document,
    one,
    texts: (selector) => find(selector).map(textOf),
    follow: (name) => openPage(get, one("a[href]", name).getAttribute("href") ?? "", post),
    press(name, fields = {}) {
      const button = one("button", name) as HTMLButtonElement;
      const form = button.form;
      if (!form || (form.method === "post" && !post)) throw new Error(`${name} sends no form`);
      const data = new FormData(form, button);
      for (const [field, value] of Object.entries(fields)) data.set(field, value);
      const query = new URLSearchParams([...data].map(([field, value]) => [field, String(value)]));
      const action = form.getAttribute("action");
      if (form.method === "post")
        return openPage(get, action ?? address, post, post?.(action ?? address, query));
      return openPage(get, `${action ?? ""}?${query}`, post);
    },
  };
}

export function textOf(element: Element): string {
  return element.textContent.replace(/\s+/g, " ").trim();
}
