import type { ComponentProps, MouseEvent } from "react";
import { useLinkClickHandler } from "react-router";

interface LinkProps extends ComponentProps<"a"> {
  to: string;
  state?: unknown;
  preventScrollReset?: boolean;
}

/** The router's own has prefetching, too, which only its framework can use: 2 KB of each first visit. */
export function Link({ to, state, preventScrollReset = false, onClick, ...rest }: LinkProps) {
  const navigate = useLinkClickHandler<HTMLAnchorElement>(to, { state, preventScrollReset });
  const handleClick = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // A press of a filter is taken by the search box, which has newer text.
    if (!event.defaultPrevented) navigate(event);
  };
  return <a {...rest} href={to} onClick={handleClick} />;
}
