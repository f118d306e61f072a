-- Accounts: confirmed e-mails, signing keys of access tokens, sessions, and sign-in flows.

-- When the e-mail was confirmed; null if no identity of the user has it verified. A new identity, of either
-- provider, joins the user who has confirmed the same e-mail (docs/product.md §6.9).
alter table users
  add column email_confirmed_at timestamptz,
  add column last_sign_in_at    timestamptz;

-- The key by which two e-mails are equal: case-insensitive for ASCII only, whatever the database's collation.
-- Unicode rules that equate "ß" with "ss", or the Kelvin sign with "k", would mix up different mailboxes.
create function email_key(email text) returns text
  language sql immutable strict parallel safe
  return lower(email collate "C");

create unique index users_confirmed_email on users (email_key(email)) where email_confirmed_at is not null;

alter table identities
  add column id              uuid not null default gen_random_uuid() unique,
  add column last_sign_in_at timestamptz not null default now(),
  add column updated_at      timestamptz not null default now();

-- Signing keys of access tokens, shared by all instances. A key is published some time before it signs.
create table signing_keys (
  kid         text primary key,
  private_key jsonb not null, -- JWK, ES256
  created_at  timestamptz not null default now()
);

-- One sign-in on one device. Refresh tokens are not stored: they are the counter, sealed with the key.
create table sessions (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references users on delete cascade,
  provider     text not null check (provider in ('google', 'github')),
  refresh_key  bytea not null check (octet_length(refresh_key) = 32),
  counter      bigint not null default 0 check (counter >= 0),
  created_at   timestamptz not null default now(),
  refreshed_at timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- A sign-in flow: from the redirect to the provider until the browser has exchanged its code.
create table flows (
  state             text primary key,
  provider          text not null check (provider in ('google', 'github')),
  challenge         text not null, -- S256 of the browser's PKCE verifier
  redirect_to       text not null,
  nonce             text not null,
  provider_verifier text not null, -- PKCE verifier of our exchange with the provider
  returned_at       timestamptz,   -- set once: a state is single-use
  code_hash         bytea unique,  -- SHA-256 of the code that the browser exchanges
  user_id           uuid references users on delete cascade,
  created_at        timestamptz not null default now(),
  expires_at        timestamptz not null,
  check ((code_hash is null) = (user_id is null))
);
create index flows_expiry on flows (expires_at);
create index flows_user on flows (user_id);
