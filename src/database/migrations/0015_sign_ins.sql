-- A sign-in that came back from its provider, for an hour. Nothing is stored of one that only began: until then it is
-- sealed in OAuth's state parameter.
create table sign_ins (
  id            text primary key, -- in the state: each works once
  provider      text not null check (provider in ('google', 'github')),
  challenge     text not null, -- S256 of the browser's PKCE verifier
  -- SHA-256 of the callback's query: browsers and proxies may send it again, to any instance.
  callback_hash bytea not null,
  returned_at   timestamptz not null default now(),
  expires_at    timestamptz not null, -- of the code
  location      text, -- where the callback leads, without the code; null while it is handled
  code_hash     bytea unique, -- SHA-256 of the code that the browser exchanges; null if the sign-in failed
  user_id       uuid references users on delete cascade,
  exchanged_at  timestamptz, -- when the browser exchanged the code
  check ((code_hash is null) = (user_id is null))
);
create index sign_ins_age on sign_ins (returned_at);
create index sign_ins_user on sign_ins (user_id);

drop table flows, used_states, callback_results;
