-- When reviews that their authors deleted were first sent, for a while: writing one anew must not move its show to the
-- top of the list (docs/product.md §13.30).
create table deleted_reviews (
  user_id    uuid not null references users on delete cascade,
  show_id    text not null references shows on delete cascade,
  created_at timestamptz(3) not null,
  deleted_at timestamptz not null default now(),
  primary key (user_id, show_id)
);
create index deleted_reviews_age on deleted_reviews (deleted_at);
