import type { StoredItem } from "./stored-data.ts";

/** A list of what is stored, why and how long. */
export function StoredItems({ items }: { items: readonly StoredItem[] }) {
  return (
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
  );
}
