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
      <div className="message">
        <h1>{heading}</h1>
        {children}
      </div>
    </PageLayout>
  );
}
