-- What the operator is told of moderation (docs/product.md §13).

alter table reports
  -- What a webhook was told of it last. Null: nothing.
  add column announced text check (announced in ('report', 'objection'));

-- When a webhook was told of a burst of reviews.
create table announced_bursts (at timestamptz primary key default now());

-- How many notes are hidden, for the metrics.
create index reviews_hidden on reviews (hidden_rule) where hidden_rule is not null;
-- How many reviews were written lately, and usually. Not a B-tree: in its order, the newest review of one show would be
-- looked for among those of all shows.
create index reviews_written on reviews using brin (created_at);
