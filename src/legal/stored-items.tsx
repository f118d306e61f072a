import type { StoredItem } from "./stored-data.ts";

/** A list of what is stored under which names, why and how long. */
export function StoredItems({ items }: { items: readonly StoredItem[] }) {
  return (
    <dl>
      {items.map(({ names, what, why, until }) => (
        <div key={names[0]}>
          {names.map((name) => (
            <dt key={name}>
              <code>{name}</code>
            </dt>
          ))}
          <dd>{what}</dd>
          <dd>{`Why: ${why}`}</dd>
          <dd>{`How long: ${until}`}</dd>
        </div>
      ))}
    </dl>
  );
}
