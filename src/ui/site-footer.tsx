interface SiteFooterProps {
  /** The operator's e-mail; null for a demo, undefined if it is not known. */
  email: string | null | undefined;
}

/** `/terms` and `/privacy` are documents without scripts, so no router leads there. */
export function SiteFooter({ email }: SiteFooterProps) {
  return (
    <footer className="measure site-footer row">
      <a href="/terms">Terms</a>
      <a href="/privacy">Privacy</a>
      {email ? <a href={`mailto:${email}`}>{email}</a> : email === null && <span>This is a demo</span>}
      <a href="https://api.edinburghfestivalcity.com">Listings: Edinburgh Festival City API</a>
    </footer>
  );
}
