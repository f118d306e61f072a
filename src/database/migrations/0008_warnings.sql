-- The phrases of the festival's warnings, as the company declared them; null if the listing gives none.
alter table shows add column warnings text[] check (cardinality(warnings) > 0);

-- The next refresh may be hours away. Until now they were kept as one string, joined by commas.
update shows set warnings = (
  select array_agg(trim(phrase) order by position)
  from string_to_table(details ->> 'warnings', ',') with ordinality as split (phrase, position)
  where trim(phrase) <> ''
)
where details ? 'warnings';
