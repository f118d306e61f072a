-- A sign-in under way is sealed in OAuth's state parameter. A row of `flows` is written only when it comes back.

-- Sign-ins that came back: each state works once. Kept for longer than a state is good for.
create table used_states (
  id      text primary key, -- of the sign-in; random
  used_at timestamptz not null default now()
);

-- The state has these. Earlier versions write them.
alter table flows
  alter column redirect_to drop not null,
  alter column nonce drop not null,
  alter column provider_verifier drop not null;
