import type { ReactNode } from "react";
import type { Operator } from "../domain/operator.ts";
import { PageLayout } from "../ui/page-layout.tsx";
import type { StoredItem } from "./stored-data.ts";

interface LegalPageProps {
  title: string;
  /** As visitors read it. */
  changed: string;
  children: ReactNode;
}

export function LegalPage({ title, changed, children }: LegalPageProps) {
  return (
    <PageLayout hasHeading>
      <title>{`${title} – Front Row?`}</title>
      <article className="prose stack">
        <h1>{title}</h1>
        <p>{`Last changed on ${changed}.`}</p>
        {children}
      </article>
    </PageLayout>
  );
}

export interface OperatorProps {
  /** Null for a demo. */
  operator: Operator | null;
}

export function OperatorNotice({ operator }: OperatorProps) {
  if (!operator)
    return (
      <p>
        This is a demo. Nobody runs it for the public, and what it shows may be invented. A site that is open
        to the public says here who runs it.
      </p>
    );
  const { name, address } = operator;
  return (
    <p>
      {`Front Row is run by ${name}, ${address}. You can write to `}
      <OperatorEmail operator={operator} />.
    </p>
  );
}

export function OperatorEmail({ operator }: OperatorProps) {
  return operator ? <a href={`mailto:${operator.email}`}>{operator.email}</a> : "whoever runs this demo";
}

export function StoredItems({ items }: { items: readonly StoredItem[] }) {
  return (
    <details>
      <summary>{`What, why and how long (${items.length} entries)`}</summary>
      <dl>
        {items.map(({ title, what, why, until }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{what}</dd>
            <dd>{`Why: ${why}`}</dd>
            <dd>{`How long: ${until}`}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
