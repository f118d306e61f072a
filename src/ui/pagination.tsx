import { Fragment, type ReactNode } from "react";
import { hasMembers } from "../lib/has-members.ts";
import { Link } from "./link.tsx";

/** docs/product.md §2.14 */
export const PAGES_SHOWN = 5;

/** History state of a page change: the new page takes the focus. */
export const pageChange = { turned: true };

interface PaginationProps {
  current: number;
  last: number;
  hrefOf: (page: number) => string;
}

export function Pagination({ current, last, hrefOf }: PaginationProps) {
  if (last <= 1) return null;
  const pages = shownPages(current, last);
  return (
    <nav id="pages" className="pagination" tabIndex={-1} aria-label="Pagination">
      <Step name="Previous page" href={current > 1 ? hrefOf(current - 1) : null}>
        Previous
      </Step>
      <ol>
        {pages.map((page, index) => (
          <Fragment key={page}>
            {page > (pages[index - 1] ?? 0) + 1 && <li className="pagination-gap">…</li>}
            <li>
              <Link
                to={hrefOf(page)}
                aria-label={`Page ${page}`}
                aria-current={page === current ? "page" : undefined}
                state={pageChange}
                preventScrollReset
              >
                {page}
              </Link>
            </li>
          </Fragment>
        ))}
      </ol>
      <Step name="Next page" href={current < last ? hrefOf(current + 1) : null}>
        Next
      </Step>
    </nav>
  );
}

export function isPageChange(state: unknown): boolean {
  return hasMembers(state, "turned");
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

/** Includes the first and the last page. */
export function shownPages(current: number, last: number): number[] {
  const latestStart = Math.max(1, last - PAGES_SHOWN + 1);
  const start = Math.min(Math.max(1, current - Math.floor(PAGES_SHOWN / 2)), latestStart);
  const window = Array.from({ length: Math.min(PAGES_SHOWN, last) }, (_, index) => start + index);
  return [...new Set([1, ...window, last])];
}
