import { useEffect } from "react";
import { data, Link, useLocation } from "react-router";
import { Frame } from "./ui/frame.tsx";

export function loader() {
  return data(null, { status: 404 });
}

/** The page for every address that is none of ours (specification §2, §8). */
export default function NotFound() {
  const { pathname } = useLocation();
  useEffect(() => console.error(`404: there is no page at ${pathname}`), [pathname]);
  return (
    <Frame>
      <title>Page not found – Front Row?</title>
      <div className="notice">
        <p className="notice-mark" aria-hidden="true">
          404
        </p>
        <h2>Oops! Page not found</h2>
        <Link className="button" to="/">
          Return to Home
        </Link>
      </div>
    </Frame>
  );
}
