import { type Document, type Element, type HTMLButtonElement, Window } from "happy-dom";

/** A page as it is without scripts, and what a visitor can do with it. */
export interface PlainPage {
  status: number;
  address: string;
  document: Document;
  /** The only element that matches. @throws Error unless there is exactly one */
  one(selector: string, text?: string): Element;
  /** The texts of all elements that match, without repeated white space. */
  texts(selector: string): string[];
  follow(name: string): Promise<PlainPage>;
  /** Sends the form of the button with this text. `fields` are typed before. */
  press(name: string, fields?: Record<string, string>): Promise<PlainPage>;
}

/** Opens pages over HTTP, as a browser does that runs no scripts and has no layout. */
export async function openPage(
  get: (path: string) => Promise<Response>,
  address: string,
): Promise<PlainPage> {
  const response = await get(address);
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
    follow: (name) => openPage(get, one("a[href]", name).getAttribute("href") ?? ""),
    press(name, fields = {}) {
      const button = one("button", name) as HTMLButtonElement;
      const form = button.form;
      if (form?.method !== "get") throw new Error(`${name} is in no form that leads to an address`);
      const data = new FormData(form, button);
      for (const [field, value] of Object.entries(fields)) data.set(field, value);
      const query = new URLSearchParams([...data].map(([field, value]) => [field, String(value)]));
      return openPage(get, `${form.getAttribute("action") ?? ""}?${query}`);
    },
  };
}

export function textOf(element: Element): string {
  return element.textContent.replace(/\s+/g, " ").trim();
}
