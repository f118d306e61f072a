import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";

export function HiddenQuery({ query }: { query: ShowQuery }) {
  return [...formatShowQuery(query)].map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}
