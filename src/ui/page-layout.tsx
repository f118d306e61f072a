import type { ReactNode } from "react";
import { SiteHeader } from "./site-header.tsx";

interface PageLayoutProps {
  /** The targets of the skip links: focusable elements, whose ids are also their names. */
  skipTo?: string[];
  /** The control in the header. */
  control?: ReactNode;
  /** Whether the page's main heading is among the children. Otherwise it is the name of the site. */
  hasHeading?: boolean;
  children: ReactNode;
}

/** The layout of every page: skip links, header and main landmark. */
export function PageLayout({ skipTo = [], control, hasHeading = false, children }: PageLayoutProps) {
  return (
    <>
      {skipTo.map((id) => (
        <a
          key={id}
          className="absolute top-2 left-2 z-10 bg-ink px-4 py-2.5 text-paper not-focus:sr-only"
          href={`#${id}`}
        >
          {`Skip to ${id}`}
        </a>
      ))}
      <SiteHeader control={control} isHeading={!hasHeading} />
      <main className="measure">{children}</main>
    </>
  );
}
