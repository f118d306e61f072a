import type { ReactNode } from "react";
import { Link } from "./link.tsx";

interface PageLayoutProps {
  /** The targets of the skip links: focusable elements, whose ids are also their names. */
  skipTo?: string[];
  control?: ReactNode;
  /** Whether the children have the page's main heading. Otherwise the site's name is the heading. */
  hasHeading?: boolean;
  children: ReactNode;
}

export function PageLayout({ skipTo = [], control, hasHeading = false, children }: PageLayoutProps) {
  const Name = hasHeading ? "div" : "h1";
  return (
    <>
      {skipTo.map((id) => (
        <a key={id} className="skip-link" href={`#${id}`}>
          {`Skip to ${id}`}
        </a>
      ))}
      <header className="site-header">
        <div className="measure masthead row">
          <Name className="site-name">
            <Link to="/">
              Front Row<span>?</span>
            </Link>
          </Name>
          <p>Edinburgh Fringe Festival Show Reviews</p>
          {control}
        </div>
        <div className="seats" />
      </header>
      <main className="measure">{children}</main>
    </>
  );
}

interface MessagePageProps {
  title: string;
  heading?: string;
  children?: ReactNode;
}

export function MessagePage({ title, heading = title, children }: MessagePageProps) {
  return (
    <PageLayout hasHeading>
      <title>{`${title} – Front Row?`}</title>
      <div className="message stack">
        <h1>{heading}</h1>
        {children}
        {/* No `Link`: the scripts of the list may be missing. */}
        <a className="button" href="/">
          Return to Home
        </a>
      </div>
    </PageLayout>
  );
}

interface SiteFooterProps {
  /** Null for a demo, undefined if it is not known. */
  email: string | null | undefined;
  children?: ReactNode;
}

/** `/terms` and `/privacy` have no scripts: plain links lead there, not the router's. */
export function SiteFooter({ email, children }: SiteFooterProps) {
  return (
    <footer className="measure site-footer row">
      <a href="/terms">Terms</a>
      <a href="/privacy">Privacy</a>
      <a href="/terms#companies">For companies</a>
      {email ? <a href={`mailto:${email}`}>{email}</a> : email === null && <span>This is a demo</span>}
      <a href="/auth">Sign in with GitHub</a>
      <a href="https://api.edinburghfestivalcity.com">Listings: Edinburgh Festival City API</a>
      {children}
    </footer>
  );
}
