import type { ReactNode } from "react";

interface ShowFactsProps {
  artist?: string | null | undefined;
  venue_name?: string | null | undefined;
  children?: ReactNode;
}

/** With the venue everywhere: several shows may have the same title and artist (docs/product.md §3.2). */
export function ShowFacts({ artist, venue_name, children }: ShowFactsProps) {
  return (
    <div className="card-facts">
      {artist && (
        <p className="card-artist">
          by <bdi>{artist}</bdi>
        </p>
      )}
      {venue_name && (
        <p className="card-venue">
          <bdi>{venue_name}</bdi>
        </p>
      )}
      {children}
    </div>
  );
}
