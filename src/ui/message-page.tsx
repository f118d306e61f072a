import type { ReactNode } from "react";
import { PageLayout } from "./page-layout.tsx";

interface MessagePageProps {
  /** The first part of the document title. */
  title: string;
  heading: string;
  children: ReactNode;
}

/** A page with a single message. */
export function MessagePage({ title, heading, children }: MessagePageProps) {
  return (
    <PageLayout hasHeading>
      <title>{`${title} – Front Row?`}</title>
      <div className="grid max-w-lg justify-items-start gap-6 py-[clamp(3rem,12vh,8rem)]">
        <h1 className="font-serif text-[clamp(1.75rem,6vw,2.75rem)] leading-tight text-balance">{heading}</h1>
        {children}
      </div>
    </PageLayout>
  );
}
