-- The whole schema of version 1.0.0. Later migrations follow in files of their own; this one is never edited.

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
  -- Further fields of the festival's record: subtitle, tags, age, country, venue, performances.
  details     jsonb not null default '{}',
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

-- Identities of banned users that were deleted: the ban outlives its user.
create table banned_identities (
  hash      bytea primary key check (octet_length(hash) = 32),
  banned_at timestamptz not null
);

-- The keyed hash of an identity: nested, because SHA-256 of key and text alone could be extended.
create function identity_hash(provider text, subject text) returns bytea
  language sql stable strict
  return (select sha256(key || sha256(key || convert_to(provider || ':' || subject, 'UTF8'))) from ban_key);

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

-- As browsers count. The plus replaces runs of characters instead of single ones, which is twenty times as fast.
create function utf16_length(value text) returns integer
  language sql immutable strict parallel safe
  return char_length(value) + char_length(regexp_replace(value, '[^\U00010000-\U0010FFFF]+', '', 'g'));

-- One review per user and show. Deleting a user deletes their reviews; a show with reviews is not deletable.
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
  -- The rule under which the notes are hidden from everybody but their author.
  hidden_rule          text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  primary key (show_id, user_id)
);
create index reviews_newest on reviews (show_id, created_at desc);
create index reviews_user on reviews (user_id);
create unique index reviews_note_id on reviews (note_id);
-- The newest notes of each interaction, which the cards show; and the newest of all, for the operator.
create index reviews_notes on reviews (show_id, audience_interaction, created_at desc) where notes is not null;
create index reviews_newest_notes on reviews (created_at desc) where notes is not null;
-- How many notes are hidden, for the metrics.
create index reviews_hidden on reviews (hidden_rule) where hidden_rule is not null;
-- How many reviews were written lately, and usually. Not a B-tree: in its order, the newest review of one show would be
-- looked for among those of all shows.
create index reviews_written on reviews using brin (created_at);

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

-- The row lock serializes concurrent reviews of a show, so that max(created_at) sees all earlier ones. An update that
-- changes no tally still raises the revision and notifies, because notes may have changed.
create function add_to_tally(of_show text, more_no bigint, more_very_little bigint, more_yes bigint) returns void
  language plpgsql as $$
declare
  changed tallies;
begin
  insert into tallies (show_id) values (of_show) on conflict do nothing;
  perform from tallies where show_id = of_show for update;
  update tallies set
    no          = no + more_no,
    very_little = very_little + more_very_little,
    yes         = yes + more_yes,
    latest_at   = (select max(created_at) from reviews where show_id = of_show and counted),
    revision    = revision + 1
  where show_id = of_show
  returning * into changed;
  perform pg_notify('tallies', json_build_object(
    'show_id', of_show,
    'revision', changed.revision,
    'no', changed.no,
    'very_little', changed.very_little,
    'yes', changed.yes,
    'latest_at', to_char(changed.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text);
end $$;

-- The triggers run once per statement and update the tallies in the order of the show ids. So two transactions that
-- change many shows (two users deleted at once) wait for each other instead of deadlocking.
create function tally_inserted() returns trigger language plpgsql as $$
begin
  perform add_to_tally(show_id, no, very_little, yes) from (
    select show_id,
      count(*) filter (where audience_interaction = 'no' and counted) as no,
      count(*) filter (where audience_interaction = 'very_little' and counted) as very_little,
      count(*) filter (where audience_interaction = 'yes' and counted) as yes
    from written group by show_id order by show_id) as differences;
  return null;
end $$;

create function tally_deleted() returns trigger language plpgsql as $$
begin
  perform add_to_tally(show_id, -no, -very_little, -yes) from (
    select show_id,
      count(*) filter (where audience_interaction = 'no' and counted) as no,
      count(*) filter (where audience_interaction = 'very_little' and counted) as very_little,
      count(*) filter (where audience_interaction = 'yes' and counted) as yes
    from removed group by show_id order by show_id) as differences;
  return null;
end $$;

create function tally_updated() returns trigger language plpgsql as $$
begin
  perform add_to_tally(show_id, no, very_little, yes) from (
    select show_id,
      coalesce(sum(difference) filter (where audience_interaction = 'no'), 0)::bigint as no,
      coalesce(sum(difference) filter (where audience_interaction = 'very_little'), 0)::bigint as very_little,
      coalesce(sum(difference) filter (where audience_interaction = 'yes'), 0)::bigint as yes
    from (
      select show_id, audience_interaction, counted::integer as difference from written
      union all
      select show_id, audience_interaction, -counted::integer from removed
    ) as changed
    group by show_id order by show_id) as differences;
  return null;
end $$;

create trigger reviews_inserted after insert on reviews
  referencing new table as written for each statement execute function tally_inserted();
create trigger reviews_deleted after delete on reviews
  referencing old table as removed for each statement execute function tally_deleted();
create trigger reviews_updated after update on reviews
  referencing old table as removed new table as written for each statement execute function tally_updated();

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
  hidden_at       timestamptz, -- since when it hides the notes: reporters did, or a decision
  objection       text check (objection ~ '\S' and utf16_length(objection) <= 500),
  objected_at     timestamptz,
  announced       text check (announced in ('report', 'objection')), -- what the operator was notified of last
  decided_at      timestamptz -- null while it is in the queue
);
create index reports_author on reports (author_id, show_id);
-- Not unique: a move of reviews may exchange the shows of two reports. The author's lock keeps it to one.
create index reports_open on reports (author_id, show_id) where decided_at is null;
create index reports_decided on reports (decided_at);

-- What each reporter said. Of those who are not signed in, the first few; the others are counted.
create table report_reasons (
  id          bigint primary key generated always as identity,
  report_id   bigint not null references reports on delete cascade,
  note_id     uuid not null,
  reporter_id uuid references users on delete set null, -- null for who is not signed in, or was deleted
  reason      text not null check (reason in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  text        text check (text ~ '\S' and utf16_length(text) <= 300),
  at          timestamptz not null default now()
);
create index report_reasons_report on report_reasons (report_id);
create unique index report_reasons_once on report_reasons (reporter_id, note_id);

create table decisions (
  id        bigint primary key generated always as identity,
  report_id bigint not null references reports on delete cascade,
  action    text not null check (action in ('keep', 'hide', 'remove-note', 'remove-review', 'ban')),
  reason    text check (reason ~ '\S'),
  at        timestamptz not null default now(),
  undo      jsonb not null, -- what `undo` restores
  undone_at timestamptz
);
create index decisions_report on decisions (report_id);

-- Signed links to a report that were used.
create table used_moderation_links (id uuid primary key, used_at timestamptz not null default now());

-- When the operator was notified of a burst of reviews.
create table announced_bursts (at timestamptz primary key default now());

create function prepare_review() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.counted := coalesce((select quarantined_at is null from users where id = new.user_id), true);
    -- Notes whose report hides them stay hidden when their author writes the review anew.
    new.hidden_rule := coalesce(new.hidden_rule, (
      select rule from reports where author_id = new.user_id and show_id = new.show_id and hidden_at is not null limit 1));
  elsif new.notes is distinct from old.notes then
    new.note_id := gen_random_uuid();
  end if;
  return new;
end $$;
create trigger reviews_prepared before insert or update on reviews for each row execute function prepare_review();

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
