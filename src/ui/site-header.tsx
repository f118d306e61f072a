import { Link } from "react-router";

/** The masthead, above a row of seats. */
export function SiteHeader() {
  return (
    <header className="pt-[clamp(1.5rem,5vw,3.25rem)] font-serif">
      <div className="measure flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <h1 className="text-[clamp(2.5rem,9vw,4.25rem)] leading-none tracking-tight">
          <Link to="/">
            Front Row<span className="text-accent italic">?</span>
          </Link>
        </h1>
        <p className="text-[clamp(1.0625rem,2.6vw,1.3125rem)] text-muted italic">
          Edinburgh Fringe Festival Show Reviews
        </p>
      </div>
      <div className="seats mt-[clamp(1rem,3vw,1.75rem)]" />
    </header>
  );
}
