import type { ReactNode } from "react";
import { Frame } from "./page-layout.tsx";

interface NoticeProps {
  /** Names the page in the browser's tab. */
  title: string;
  heading: string;
  children: ReactNode;
}

/** A page that is one message. */
export function Notice({ title, heading, children }: NoticeProps) {
  return (
    <Frame>
      <title>{`${title} – Front Row?`}</title>
      <div className="grid max-w-lg justify-items-start gap-6 py-[clamp(3rem,12vh,8rem)]">
        <h2 className="font-serif text-[clamp(1.75rem,6vw,2.75rem)] leading-tight text-balance">{heading}</h2>
        {children}
      </div>
    </Frame>
  );
}
