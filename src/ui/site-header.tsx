import { Link } from "react-router";

/** The masthead, above a row of seats. */
export function SiteHeader() {
  return (
    <header className="masthead">
      <div className="measure">
        <h1>
          <Link to="/">
            Front Row<span>?</span>
          </Link>
        </h1>
        <p>Edinburgh Fringe Festival Show Reviews</p>
      </div>
      <div className="seats" />
    </header>
  );
}
