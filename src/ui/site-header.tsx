import type { ReactNode } from "react";
import { Link } from "react-router";

/** The site header: the name, and a row of seats as decoration. */
export function SiteHeader({ control }: { control?: ReactNode }) {
  return (
    <header className="pt-[clamp(1.5rem,5vw,3.25rem)] font-serif">
      <div className="measure masthead">
        <h1 className="text-[clamp(min(2.5rem,11.25vw),9vw,4.25rem)] leading-none tracking-tight">
          <Link to="/">
            Front Row<span className="text-accent italic">?</span>
          </Link>
        </h1>
        <p className="text-[clamp(1.0625rem,2.6vw,1.3125rem)] text-muted italic">
          Edinburgh Fringe Festival Show Reviews
        </p>
        {control}
      </div>
      <div className="seats mt-[clamp(1rem,3vw,1.75rem)]" />
    </header>
  );
}
