import type { ReactNode } from "react";
import { Link } from "react-router";

/** The size of the window of numbered pages around the current one (docs/product.md §2.14). */
export const PAGES_SHOWN = 5;

/** The history state of a page change: the new page then takes the focus. */
export const pageChange = { turned: true };

interface PaginationProps {
  current: number;
  last: number;
  hrefOf: (page: number) => string;
}

export function Pagination({ current, last, hrefOf }: PaginationProps) {
  if (last <= 1) return null;
  return (
    <nav id="pages" className="pagination" tabIndex={-1} aria-label="Pagination">
      <Step name="Previous page" href={current > 1 ? hrefOf(current - 1) : null}>
        Previous
      </Step>
      <ol>
        {paginationItems(current, last).map((item) =>
          item.type === "gap" ? (
            <li key={`gap ${item.from}`} className="pagination-gap">
              …
            </li>
          ) : (
            <li key={item.page}>
              <NumberedPage page={item.page} current={item.page === current} href={hrefOf(item.page)} />
            </li>
          ),
        )}
      </ol>
      <Step name="Next page" href={current < last ? hrefOf(current + 1) : null}>
        Next
      </Step>
    </nav>
  );
}

/** Whether a history entry with this state was added by a link of the pagination. */
export function isPageChange(state: unknown): boolean {
  return typeof state === "object" && state !== null && "turned" in state;
}

function Step({ name, href, children }: { name: string; href: string | null; children: ReactNode }) {
  if (href === null) {
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: a disabled link is announced but not focusable
      // biome-ignore lint/a11y/useSemanticElements: an <a> without href is no link
      <span role="link" aria-disabled="true" aria-label={name}>
        {children}
      </span>
    );
  }
  return (
    <Link to={href} aria-label={name} state={pageChange} preventScrollReset>
      {children}
    </Link>
  );
}

function NumberedPage({ page, current, href }: { page: number; current: boolean; href: string }) {
  return (
    <Link
      to={href}
      aria-label={`Page ${page}`}
      aria-current={current ? "page" : undefined}
      state={pageChange}
      preventScrollReset
    >
      {page}
    </Link>
  );
}

/** A gap is a range of skipped pages. */
export type PaginationItem = { type: "page"; page: number } | { type: "gap"; from: number; to: number };

/** The window around `current`, the first and the last page, and a gap wherever pages are skipped. */
export function paginationItems(current: number, last: number): PaginationItem[] {
  const latestStart = Math.max(1, last - PAGES_SHOWN + 1);
  const start = Math.min(Math.max(1, current - Math.floor(PAGES_SHOWN / 2)), latestStart);
  const end = Math.min(last, start + PAGES_SHOWN - 1);
  return [
    ...pages(1, Math.min(1, start - 1)),
    ...gap(2, start - 1),
    ...pages(start, end),
    ...gap(end + 1, last - 1),
    ...pages(Math.max(last, end + 1), last),
  ];
}

function pages(from: number, to: number): PaginationItem[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({
    type: "page",
    page: from + index,
  }));
}

function gap(from: number, to: number): PaginationItem[] {
  return from <= to ? [{ type: "gap", from, to }] : [];
}
