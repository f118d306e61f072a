import * as z from "zod/mini";
import { orNull } from "./storage.ts";
import { userKey } from "./user-data-client.ts";

const storedTexts = z.array(z.string());

/** `about` is a show or a note (docs/product.md §5.13). A visitor without a session has an empty id. */
export function createDraft(userId: string, about: string) {
  const key = userKey("draft", userId) + about;
  const read = () => orNull(() => storedTexts.parse(JSON.parse(sessionStorage.getItem(key) ?? "[]"))) ?? [];
  const discard = () => void orNull(() => sessionStorage.removeItem(key));
  return {
    read,
    discard,
    save: (...texts: string[]) => void orNull(() => sessionStorage.setItem(key, JSON.stringify(texts))),
    discardSent(...texts: string[]) {
      if (JSON.stringify(read()) === JSON.stringify(texts)) discard();
    },
  };
}
