import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate, useNavigationType } from "react-router";
import { cleanSearch, MAX_SEARCH, parseShowQuery, type ShowQuery, webAddress } from "../domain/show-query.ts";
import { CrossButton } from "../ui/cross-button.tsx";
import { HiddenQuery } from "./filters.tsx";
import { isSearching, listUrl, searchNavigation } from "./list-url.ts";

/** In ms (docs/product.md §2.7). */
const DEBOUNCE = 300;

/** Chinese, Japanese and Korean: a composition that ends like this may be half a syllable. */
const halfSyllable = /[\u1100-\u11ff\u2e80-\uffef]$/;

interface SearchBoxProps {
  shown: ShowQuery;
  /** The query that is loading, or else the one on screen. */
  requested: ShowQuery;
}

export function SearchBox({ shown, requested }: SearchBoxProps) {
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useSearchWhileTyping(form, input, { shown, requested });

  function clear(): void {
    if (!input.current) return;
    input.current.value = "";
    // `requestSubmit` is newer than the oldest browsers.
    form.current?.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
    input.current.focus();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers of 2023 do not know <search>
    <form ref={form} role="search" method="get" action="/" className="search row">
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
      <CrossButton className="search-clear" label="Clear search" onClick={clear} />
      <HiddenQuery query={{ ...requested, search: "", page: 1 }} />
      <noscript>
        <button type="submit" className="button">
          Search
        </button>
      </noscript>
    </form>
  );
}

/** docs/product.md §2.7. A URL that was not changed by typing updates the box, unless text is pending (§2.12). */
function useSearchWhileTyping(
  form: RefObject<HTMLFormElement | null>,
  input: RefObject<HTMLInputElement | null>,
  { shown, requested }: SearchBoxProps,
): void {
  const navigate = useNavigate();
  const location = useLocation();
  const navigationType = useNavigationType();
  const debounce = useRef<ReturnType<typeof setTimeout>>(undefined);
  const inFlight = useRef(0);

  const typedText = () => searchTextOf(input.current);

  const search = useEffectEvent(async () => {
    const to = listUrl({ ...requested, search: typedText(), page: 1 });
    const current = { url: listUrl(shown), state: location.state };
    inFlight.current++;
    try {
      await navigate(to, { ...searchNavigation(current, to), preventScrollReset: true });
    } finally {
      inFlight.current--;
    }
  });
  /** docs/product.md §2.8 */
  const filterTypedText = useEffectEvent((params: URLSearchParams) => {
    const to = listUrl({ ...parseShowQuery(params), search: typedText() });
    return navigate(to, { replace: to === listUrl(shown), preventScrollReset: true });
  });
  const isChanged = useEffectEvent(() => typedText() !== requested.search);

  useEffect(() => {
    function cancel() {
      clearTimeout(debounce.current);
      debounce.current = undefined;
    }
    function searchLater(event?: Event) {
      cancel();
      if (event instanceof InputEvent && event.isComposing && halfSyllable.test(event.data ?? "")) return;
      debounce.current = setTimeout(() => {
        debounce.current = undefined;
        if (isChanged()) void search();
      }, DEBOUNCE);
    }
    function searchNow(event: Event) {
      event.preventDefault();
      cancel();
      void search();
      // Closes the on-screen keyboard, which covers the results.
      if (window.matchMedia("(pointer: coarse)").matches) box?.blur();
    }
    /** The box would cut a long address. */
    function pasteAddress(event: ClipboardEvent) {
      const text = cleanSearch(event.clipboardData?.getData("text") ?? "");
      if (!box || !webAddress.test(text)) return;
      event.preventDefault();
      box.value = text;
      searchLater();
    }
    function pressFilter(event: SubmitEvent) {
      const { target } = event;
      if (!(target instanceof HTMLFormElement && target.matches(".filters form"))) return;
      event.preventDefault();
      cancel();
      const fields = [...new FormData(target)].map(([name, value]) => [name, String(value)]);
      void filterTypedText(new URLSearchParams(fields));
    }
    function pressFilterLink(event: MouseEvent) {
      const { target, button, altKey, ctrlKey, metaKey, shiftKey } = event;
      const link = target instanceof Element && target.closest<HTMLAnchorElement>("a.filter-button");
      if (!link || button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      cancel();
      void filterTypedText(new URL(link.href).searchParams);
    }
    function showCleaned() {
      if (box) box.value = searchTextOf(box);
    }
    const { current: box } = input;
    const { current: searchForm } = form;
    // Text may have been typed before hydration.
    if (isChanged()) searchLater();
    const listeners = new AbortController();
    const { signal } = listeners;
    box?.addEventListener("input", searchLater, { signal });
    box?.addEventListener("paste", pasteAddress, { signal });
    box?.addEventListener("compositionend", searchLater, { signal });
    box?.addEventListener("change", showCleaned, { signal });
    searchForm?.addEventListener("submit", searchNow, { signal });
    document.addEventListener("submit", pressFilter, { signal });
    // Before React Router: its link has the text of the last rendering.
    document.addEventListener("click", pressFilterLink, { capture: true, signal });
    window.addEventListener("popstate", cancel, { signal });
    return () => {
      cancel();
      listeners.abort();
    };
  }, [form, input]);

  const updateBox = useEffectEvent(() => {
    const bySearching = navigationType !== "POP" && isSearching(location.state);
    const isPending = debounce.current !== undefined || inFlight.current > 0;
    if (input.current && !bySearching && !isPending && typedText() !== shown.search)
      input.current.value = shown.search;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs whenever the URL has changed
  useEffect(updateBox, [location.key]);
}

function searchTextOf(box: HTMLInputElement | null): string {
  return cleanSearch(box?.value ?? "");
}
