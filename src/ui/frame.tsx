import type { ReactNode } from "react";
import { SiteHeader } from "./site-header.tsx";

interface FrameProps {
  /** Where the skip link leads: the id of an element that can take the focus, and what it is called. */
  skipTo?: { id: string; name: string };
  children: ReactNode;
}

/** What surrounds every page: the skip link, the header and the main landmark. */
export function Frame({ skipTo, children }: FrameProps) {
  return (
    <>
      {skipTo && (
        <a className="skip-link" href={`#${skipTo.id}`}>
          {`Skip to ${skipTo.name}`}
        </a>
      )}
      <SiteHeader />
      <main className="measure">{children}</main>
    </>
  );
}
