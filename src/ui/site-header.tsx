import type { ReactNode } from "react";
import { Link } from "react-router";

/** The site header: the name, and a row of seats as decoration. */
export function SiteHeader({ control }: { control?: ReactNode }) {
  return (
    <header className="pt-[clamp(0.25rem,8vw-1.5rem,3.25rem)] font-serif">
      <div className="measure masthead">
        <h1 className="text-[clamp(1.75rem,11vw-1rem,4.25rem)] leading-none tracking-tight">
          <Link to="/">
            Front Row<span className="text-accent italic">?</span>
          </Link>
        </h1>
        <p className="text-[clamp(0.8125rem,0.54rem+1.45vw,1.3125rem)] text-muted italic">
          Edinburgh Fringe Festival Show Reviews
        </p>
        {control}
      </div>
      <div className="seats mt-[clamp(0.25rem,4vw-0.75rem,1.75rem)]" />
    </header>
  );
}
