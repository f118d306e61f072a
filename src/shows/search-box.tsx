import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate, useNavigationType } from "react-router";
import { cleanSearch, MAX_SEARCH, type ShowQuery } from "../domain/show-query.ts";
import { HiddenQuery } from "./hidden-query.tsx";
import { addressOf, isSearching, searchStep } from "./list-url.ts";

/** From the last keystroke to the search, in ms (docs/product.md §2.7). */
const DEBOUNCE = 300;

interface SearchBoxProps {
  /** The query of the list on screen. */
  shown: ShowQuery;
  /** The query of the list on its way, or else on screen. */
  asked: ShowQuery;
}

/** Searches while one types. Without JavaScript it is a form that one sends. */
export function SearchBox({ shown, asked }: SearchBoxProps) {
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useSearchWhileTyping(form, input, { shown, asked });
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers of 2023 do not know <search>
    <form ref={form} role="search" method="get" action="/" className="search">
      <label htmlFor="search" className="sr-only">
        Search shows, artists, or venues
      </label>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="M12.5 12.5L17 17" />
      </svg>
      <input
        ref={input}
        id="search"
        name="search"
        type="search"
        defaultValue={shown.search}
        maxLength={MAX_SEARCH}
        placeholder="Search shows, artists, or venues..."
        autoComplete="off"
        enterKeyHint="search"
      />
      <HiddenQuery query={{ ...asked, search: "", page: 1 }} />
      <noscript>
        <button type="submit" className="button">
          Search
        </button>
      </noscript>
    </form>
  );
}

/**
 * Keeps box and address together. Typing asks for the new list a moment later, Enter at once. Any other change of the
 * address (Back, a link, a filter) brings its text into the box, unless something typed is still waiting or on its way.
 */
function useSearchWhileTyping(
  form: RefObject<HTMLFormElement | null>,
  input: RefObject<HTMLInputElement | null>,
  { shown, asked }: SearchBoxProps,
): void {
  const navigate = useNavigate();
  const location = useLocation();
  const arrivedBy = useNavigationType();
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onTheirWay = useRef(0);

  const typed = () => textIn(input.current);

  const search = useEffectEvent(async () => {
    const to = addressOf({ ...asked, search: typed(), page: 1 });
    const here = { address: addressOf(shown), state: location.state };
    onTheirWay.current++;
    try {
      await navigate(to, { ...searchStep(here, to), preventScrollReset: true });
    } finally {
      onTheirWay.current--;
    }
  });
  const isNews = useEffectEvent(() => typed() !== asked.search);

  useEffect(() => {
    function forget() {
      clearTimeout(waiting.current);
      waiting.current = undefined;
    }
    function searchSoon() {
      forget();
      waiting.current = setTimeout(() => {
        waiting.current = undefined;
        if (isNews()) search();
      }, DEBOUNCE);
    }
    function searchNow(event: Event) {
      event.preventDefault();
      forget();
      search();
    }
    /** A filter asks for what is typed, too, whether it was searched for yet or not. */
    function goAlong({ target, formData }: FormDataEvent) {
      if (!(target instanceof Element && target.matches(".filters form"))) return;
      forget();
      putSearch(formData, textIn(box));
    }
    const { current: box } = input;
    const { current: sender } = form;
    // Something may have been typed before this script arrived.
    if (isNews()) searchSoon();
    box?.addEventListener("input", searchSoon);
    sender?.addEventListener("submit", searchNow);
    document.addEventListener("formdata", goAlong);
    window.addEventListener("popstate", forget);
    return () => {
      forget();
      box?.removeEventListener("input", searchSoon);
      sender?.removeEventListener("submit", searchNow);
      document.removeEventListener("formdata", goAlong);
      window.removeEventListener("popstate", forget);
    };
  }, [form, input]);

  const bringIn = useEffectEvent(() => {
    const bySearching = arrivedBy !== "POP" && isSearching(location.state);
    const unsettled = waiting.current !== undefined || onTheirWay.current > 0;
    if (input.current && !bySearching && !unsettled && typed() !== shown.search) input.current.value = shown.search;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs whenever the address changed
  useEffect(bringIn, [location.key]);
}

/** What a box asks for. */
function textIn(box: HTMLInputElement | null): string {
  return cleanSearch(box?.value ?? "");
}

/** Has a form ask for a text: for it first, as every address does, that one list has one address. */
function putSearch(formData: FormData, search: string): void {
  const others = [...formData].filter(([name]) => name !== "search");
  for (const name of [...formData.keys()]) formData.delete(name);
  if (search) formData.append("search", search);
  for (const [name, value] of others) formData.append(name, value);
}
