-- The tables of version 1.0.0. Later migrations follow in files of their own; this one is never edited. Functions and
-- triggers are in ../functions, except two functions that indexes and constraints use.

-- The festival's shows. An unlisted show (listed = false) keeps its row, tallies and reviews.
create table shows (
  id          text primary key check (id <> ''),
  title       text not null check (title <> ''),
  website     text check (website ~* '^https?://'),
  artist      text check (artist <> ''),
  venue_name  text check (venue_name <> ''),
  genre       text check (genre <> ''),
  description text check (description <> ''),
  year        integer not null,
  status      text not null check (status in ('active', 'cancelled')),
  listed      boolean not null default true,
  -- The phrases of the festival's warnings, as the company declared them; null if the listing gives none.
  warnings    text[] check (cardinality(warnings) > 0),
  venue_address text check (venue_address <> ''),
  -- `start/minutes` of each, joined by semicolons, in Edinburgh's local time.
  performances  text check (performances <> ''),
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);
create index shows_listed on shows (year) where listed;

create table users (
  id                 uuid primary key default gen_random_uuid(),
  email              text not null check (email <> ''),
  -- When the e-mail was confirmed; null if no identity of the user has it verified. A new identity, of either
  -- provider, joins the user who has confirmed the same e-mail (docs/product.md §6.9).
  email_confirmed_at timestamptz,
  last_sign_in_at    timestamptz,
  banned_at          timestamptz, -- set while banned: the sessions have ended, and the user cannot sign in
  quarantined_at     timestamptz, -- set while the user's reviews count for nobody else
  -- How many of the user's reports were dismissed: from three on, their reports hide nothing.
  dismissed_reports  integer not null default 0 check (dismissed_reports >= 0),
  created_at         timestamptz not null default now()
);

-- The key by which two e-mails are equal: case-insensitive for ASCII only, whatever the database's collation.
-- Unicode rules that equate "ß" with "ss", or the Kelvin sign with "k", would mix up different mailboxes.
create function email_key(email text) returns text
  language sql immutable strict parallel safe
  return lower(email collate "C");

create unique index users_confirmed_email on users (email_key(email)) where email_confirmed_at is not null;

-- An account at a provider. A user may have several, also at one provider (docs/product.md §6.9).
create table identities (
  id              uuid not null default gen_random_uuid() unique,
  provider        text not null check (provider in ('google', 'github')),
  subject         text not null check (subject <> ''),
  user_id         uuid not null references users on delete cascade,
  email           text not null,
  email_verified  boolean not null,
  last_sign_in_at timestamptz not null default now(),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (provider, subject)
);
create index identities_user on identities (user_id);

-- The key of the hashes in `banned_identities`: one random key for each database, so that hashes of two of them tell
-- nothing together, and that no hash can be computed from what stands outside the database.
create table ban_key (
  id  boolean primary key default true check (id),
  key bytea not null check (octet_length(key) = 32)
);
insert into ban_key (key) values (sha256(decode(
  replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')));

-- Identities of banned users that were deleted: the ban outlives its user, and follows a verified e-mail for a time.
create table banned_identities (
  hash      bytea primary key check (octet_length(hash) = 32),
  banned_at timestamptz not null,
  ends_at   timestamptz -- of the ban of a verified e-mail; null for an identity
);

-- Recently deleted accounts, by the keyed hash of each identity and of its verified e-mail: users who come back have the
-- same limits. A hash is deleted when its identity or e-mail comes back.
create table deleted_accounts (
  hash              bytea primary key check (octet_length(hash) = 32),
  id                uuid not null, -- replaces the user's id in `deleted_reviews`; it identifies nobody
  quarantined_at    timestamptz,
  dismissed_reports integer not null check (dismissed_reports >= 0),
  deleted_at        timestamptz not null default now(),
  heir              uuid -- the user who came back with another identity and inherited
);
create index deleted_accounts_age on deleted_accounts (deleted_at);

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

-- A sign-in that came back from its provider, for an hour. Nothing is stored of one that only began: until then it is
-- sealed in OAuth's state parameter.
create table sign_ins (
  id               text primary key, -- in the state: each works once
  provider         text not null check (provider in ('google', 'github')),
  challenge        text not null, -- S256 of the browser's PKCE verifier
  -- SHA-256 of the callback's query: browsers and proxies may send it again, to any instance.
  callback_hash    bytea not null,
  returned_at      timestamptz not null default now(),
  expires_at       timestamptz not null, -- of the code
  location         text, -- where the callback leads, without the code; null while it is handled
  code_hash        bytea unique, -- SHA-256 of the code that the browser exchanges; null if the sign-in failed
  user_id          uuid references users on delete cascade,
  exchanged_at     timestamptz, -- when the browser exchanged the code
  session_id       uuid, -- ends if the code is used again; it may have ended since
  authenticated_at timestamptz, -- by the provider, for deleting an account; null if it sent no time
  check ((code_hash is null) = (user_id is null))
);
create index sign_ins_age on sign_ins (returned_at);
create index sign_ins_user on sign_ins (user_id);

-- As browsers count. The plus replaces runs of characters instead of single ones, which is twenty times as fast.
create function utf16_length(value text) returns integer
  language sql immutable strict parallel safe
  return char_length(value) + char_length(regexp_replace(value, '[^\U00010000-\U0010FFFF]+', '', 'g'));

-- One review per user and show. Deleting a user deletes their reviews; a show with reviews is not deletable. Hiding and
-- removing are marks on the review, which a decision or undoing one clears.
create table reviews (
  show_id              text not null references shows on delete restrict,
  user_id              uuid not null references users on delete cascade,
  audience_interaction text not null check (audience_interaction in ('no', 'very_little', 'yes')),
  notes                text check (notes ~ '\S' and utf16_length(notes) <= 1000),
  created_at           timestamptz(3) not null default now(),
  -- The operator's move (audit.id) that brought it to its show. Null unless it was moved, and again once its author
  -- replaces it: undoing the move takes back only what the move brought.
  moved_by             bigint,
  -- What public responses call the notes. It leads to nobody, and changes with them.
  note_id              uuid not null default gen_random_uuid(),
  -- Whether the review is in tallies, order and notes: false in quarantine. A column, because the tallies of reviews
  -- that go with their user must still tell which of them counted.
  counted              boolean not null default true,
  -- The rule under which the notes are hidden from everybody but their author, and since when.
  hidden_rule          text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  hidden_at            timestamptz,
  hidden_hash          bytea, -- of the hidden notes, even if their author has changed them since
  -- The rule of the mark while a kept text is shown in spite of it: the next text without a verdict is hidden again.
  overridden_rule      text check (overridden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  -- Since when the notes, or the whole review, are removed under that rule. The text is purged later.
  removed_at           timestamptz,
  removal              text check (removal in ('note', 'review')),
  primary key (show_id, user_id),
  -- Checked at the end of a statement: two reviews may exchange their notes.
  constraint reviews_note unique (note_id) deferrable,
  check ((hidden_rule is null) = (hidden_at is null)),
  check (hidden_rule is null or overridden_rule is null),
  check ((removed_at is null) = (removal is null) and (removed_at is null or hidden_rule is not null))
);
create index reviews_newest on reviews (show_id, created_at desc);
create index reviews_user on reviews (user_id);
-- The public notes, in the order of their pages: counting notes and skipping earlier pages reads only this index.
create index reviews_visible_notes on reviews (show_id, audience_interaction, created_at desc, user_id)
  where notes is not null and counted and hidden_rule is null;
-- The newest notes of all, for the operator.
create index reviews_newest_notes on reviews (created_at desc) where notes is not null;
-- How many notes are hidden, for the metrics.
create index reviews_hidden on reviews (hidden_rule) where hidden_rule is not null;
create index reviews_hidden_hash on reviews (user_id, hidden_hash) where hidden_hash is not null;
-- How many reviews were written lately, and usually. Not a B-tree: in its order, the newest review of one show would be
-- looked for among those of all shows.
create index reviews_written on reviews using brin (created_at);

-- Without removed notes and reviews.
create view present_reviews as
  select show_id, user_id, audience_interaction, case when removed_at is null then notes end as notes, created_at,
    note_id, counted, hidden_rule, hidden_at, hidden_hash
  from reviews where removal is distinct from 'review';

-- When reviews that their authors deleted were first sent, for a while: writing one anew must not move its show to the
-- top of the list (docs/product.md §13.30), nor show its hidden notes.
create table deleted_reviews (
  user_id     uuid not null, -- of a user or of a deleted account
  show_id     text not null references shows on delete cascade,
  created_at  timestamptz(3) not null,
  deleted_at  timestamptz not null default now(),
  hidden_rule text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  note_hash   bytea check (octet_length(note_hash) = 32), -- `hidden_hash` of hidden notes
  primary key (user_id, show_id)
);
create index deleted_reviews_age on deleted_reviews (deleted_at);

-- The verdict on a text that no decision or review has any more: `keep`, or the rule under which it was hidden, also
-- while it waited in place of another one.
create table text_verdicts (
  user_id uuid not null, -- of the author, or of a deleted account
  hash    bytea not null check (octet_length(hash) = 32),
  verdict text not null check (verdict in ('keep', 'personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  at      timestamptz not null default now(),
  primary key (user_id, hash)
);
create index text_verdicts_age on text_verdicts (at);

-- Counters of the write limits, shared by all instances. The key is the window's seconds, a colon and the user's id.
create table review_limits (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire bigint -- ms since 1970
);
create index review_limits_expiry on review_limits (expire);

-- Shows that take no reviews for now; the row without a show stands for all of them.
create table review_closures (
  show_id   text references shows,
  closed_at timestamptz not null default now(),
  unique nulls not distinct (show_id)
);

-- Counted reviews of a show by interaction, and the time of the newest one, by which the list is sorted. The revision
-- grows with each change: listeners ignore an outdated one.
create table tallies (
  show_id     text primary key references shows on delete cascade,
  no          integer not null default 0 check (no >= 0),
  very_little integer not null default 0 check (very_little >= 0),
  yes         integer not null default 0 check (yes >= 0),
  latest_at   timestamptz(3),
  revision    integer not null default 0
);

-- What people reported about the notes of one review, which the operator decides on once. Without a reference to the
-- review: deleting and writing it again must not make the report vanish.
create table reports (
  id              bigint primary key generated always as identity,
  show_id         text not null references shows,
  author_id       uuid not null references users on delete cascade,
  note_id         uuid not null, -- when they were first reported
  rule            text not null check (rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')), -- the gravest one
  opened_at       timestamptz not null default now(),
  anonymous_count integer not null default 0, -- reporters who were not signed in
  objection       text check (objection ~ '\S' and utf16_length(objection) <= 500),
  objected_at     timestamptz,
  announced       text check (announced in ('report', 'objection')), -- what the operator was notified of last
  announced_note  uuid, -- the notes at that time
  decided_at      timestamptz -- null while it is in the queue
);
create index reports_author on reports (author_id, show_id);
-- Not unique: a move of reviews may exchange the shows of two reports. The author's lock keeps it to one.
create index reports_open on reports (author_id, show_id) where decided_at is null;
create index reports_decided on reports (decided_at);

-- What each reporter said. Of those who are not signed in, the first few; the others are counted.
create table report_reasons (
  id              bigint primary key generated always as identity,
  report_id       bigint not null references reports on delete cascade,
  note_id         uuid not null,
  reporter_id     uuid references users on delete set null, -- null for who is not signed in, or was deleted
  former_reporter uuid, -- `deleted_accounts.id` of a signed-in reporter
  reason          text not null check (reason in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  text            text check (text ~ '\S' and utf16_length(text) <= 300),
  at              timestamptz not null default now(),
  dismissed_by    bigint -- the decision by which it counts as dismissed
);
create index report_reasons_report on report_reasons (report_id);
create unique index report_reasons_once on report_reasons (reporter_id, note_id, report_id);

-- With these links helpers see the queue and decide. A link in a message shows only one report.
create table queue_links (
  number     integer primary key generated always as identity,
  name       text check (name ~ '\S' and char_length(name) <= 60), -- of the helper
  report_id  bigint references reports on delete cascade,
  token_hash bytea not null unique check (octet_length(token_hash) = 32), -- SHA-256
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check ((name is null) <> (report_id is null))
);
create index queue_links_report on queue_links (report_id) where report_id is not null;

create table decisions (
  id            bigint primary key generated always as identity,
  report_id     bigint not null references reports on delete cascade,
  action        text not null check (action in ('keep', 'hide', 'remove-note', 'remove-review', 'ban')),
  reason        text check (reason ~ '\S'),
  at            timestamptz not null default now(),
  link          integer references queue_links on delete set null, -- the link that decided
  note_id       uuid, -- the notes at the decision; null if there were none
  note_hash     bytea, -- of their text
  hidden_before timestamptz, -- since when they were hidden before the decision
  hidden_hash   bytea, -- the review's before the decision
  undone_at     timestamptz
);
create index decisions_report on decisions (report_id);
create index decisions_link on decisions (link, id) where link is not null;

-- Reports, objections and decisions of each year (UTC), also those of deleted reports. Undone decisions do not count.
create table moderation_counts (
  year  integer not null,
  event text not null check (event in ('report', 'objection', 'keep', 'hide', 'remove-note', 'remove-review', 'ban')),
  count integer not null,
  primary key (year, event)
);

-- When the operator was notified of a burst of reviews.
create table announced_bursts (at timestamptz primary key default now());

create table audit (
  id      bigint primary key generated always as identity,
  at      timestamptz not null default now(),
  action  text not null,
  details jsonb not null
);

-- Runs of the refresh. An unfinished row without a running refresh means that the run was interrupted.
create table refreshes (
  id          bigint primary key generated always as identity,
  started_at  timestamptz not null default now(),
  finished_at timestamptz,
  outcome     text check (outcome in ('succeeded', 'failed', 'refused', 'interrupted')),
  listed      integer, -- shows listed after it
  added       integer, -- not stored before
  changed     integer,
  removed     integer, -- unlisted by it
  returned    integer, -- listed again
  skipped     integer, -- bad records
  gap         integer, -- records that the festival counted and did not send
  error       text,
  check ((finished_at is null) = (outcome is null))
);

-- The time of the last backup.
create table backups (finished_at timestamptz primary key default now());

-- The browser's files of the last builds. While old and new instances run side by side, and for pages that were open
-- before an upgrade, each instance also serves the files of other builds.
create table client_builds (
  id         text primary key, -- a digest of the names, which contain content hashes
  started_at timestamptz not null default now()
);

create table client_files (
  build_id text not null references client_builds on delete cascade,
  name     text not null,
  content  bytea not null,
  primary key (build_id, name)
);
