import { useEffect } from "react";
import { useLocation } from "react-router";
import { MessagePage } from "../../ui/page-layout.tsx";

export default function NotFound() {
  const { pathname } = useLocation();
  useEffect(() => console.error(`404: there is no page at ${pathname}`), [pathname]);
  return (
    <MessagePage title="Page not found" heading="Oops! Page not found">
      {/* No `Link`: the scripts of the list may be missing. */}
      <a className="button" href="/">
        Return to Home
      </a>
    </MessagePage>
  );
}
