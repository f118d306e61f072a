-- Where a sign-in led to, for a minute: browsers and proxies may send its callback again, to any instance.
create table callback_results (
  callback_hash bytea primary key, -- SHA-256 of the callback's query
  location      text not null,     -- without the code, which a repeated callback derives again
  created_at    timestamptz not null default now()
);
create index callback_results_age on callback_results (created_at);
