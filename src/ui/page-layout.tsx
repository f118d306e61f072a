import type { ReactNode } from "react";
import { SiteHeader } from "./site-header.tsx";

interface PageLayoutProps {
  /** The target of the skip link: the id of a focusable element, and its name. */
  skipTo?: { id: string; name: string };
  /** The control in the header. */
  control?: ReactNode;
  children: ReactNode;
}

/** The layout of every page: skip link, header and main landmark. */
export function PageLayout({ skipTo, control, children }: PageLayoutProps) {
  return (
    <>
      {skipTo && (
        <a
          className="absolute top-2 left-2 z-10 bg-ink px-4 py-2.5 text-paper not-focus:sr-only"
          href={`#${skipTo.id}`}
        >
          {`Skip to ${skipTo.name}`}
        </a>
      )}
      <SiteHeader control={control} />
      <main className="measure">{children}</main>
    </>
  );
}
