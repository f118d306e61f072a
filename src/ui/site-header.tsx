import type { ReactNode } from "react";
import { Link } from "react-router";

interface SiteHeaderProps {
  control?: ReactNode;
  /** Whether the name is the page's main heading: on the list. Other pages have one of their own. */
  isHeading: boolean;
}

/** The site header: the name, and a row of seats as decoration. */
export function SiteHeader({ control, isHeading }: SiteHeaderProps) {
  const Name = isHeading ? "h1" : "div";
  return (
    <header className="pt-[clamp(0.5rem,8vw-1.5rem,3.25rem)] font-serif">
      <div className="measure masthead">
        <Name className="text-[clamp(1.75rem,11vw-1rem,4.25rem)] leading-none tracking-tight">
          <Link to="/">
            Front Row<span className="text-accent italic">?</span>
          </Link>
        </Name>
        <p className="text-[clamp(0.8125rem,0.54rem+1.45vw,1.3125rem)] text-muted italic">
          Edinburgh Fringe Festival Show Reviews
        </p>
        {control}
      </div>
      <div className="seats mt-[clamp(0.25rem,4vw-0.75rem,1.75rem)]" />
    </header>
  );
}
