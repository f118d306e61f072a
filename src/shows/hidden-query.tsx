import { type ShowQuery, writeShowQuery } from "../domain/show-query.ts";

/** A query as the hidden fields of a form, which its sending then asks for. */
export function HiddenQuery({ query }: { query: ShowQuery }) {
  return [...writeShowQuery(query)].map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}
