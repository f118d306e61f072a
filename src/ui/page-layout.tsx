import type { ReactNode } from "react";
import { SiteHeader } from "./site-header.tsx";

interface FrameProps {
  /** Where the skip link leads: the id of an element that can take the focus, and what it is called. */
  skipTo?: { id: string; name: string };
  /** What the header offers beside its name. */
  control?: ReactNode;
  children: ReactNode;
}

/** What surrounds every page: the skip link, the header and the main landmark. */
export function Frame({ skipTo, control, children }: FrameProps) {
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
