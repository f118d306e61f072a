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
  -- Further fields of the festival's record: subtitle, tags, warnings, age, country, venue, performances.
  details     jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);
create index shows_listed on shows (year) where listed;

create table users (
  id         uuid primary key default gen_random_uuid(),
  email      text not null check (email <> ''),
  created_at timestamptz not null default now()
);

-- An account at a provider. A user may have several, also at one provider (docs/product.md §6.9).
create table identities (
  provider       text not null check (provider in ('google', 'github')),
  subject        text not null check (subject <> ''),
  user_id        uuid not null references users on delete cascade,
  email          text not null,
  email_verified boolean not null,
  created_at     timestamptz not null default now(),
  primary key (provider, subject)
);
create index identities_user on identities (user_id);

-- Length in UTF-16 code units, as browsers count it: two for each character beyond the basic plane.
create function utf16_length(value text) returns integer
  language sql immutable strict parallel safe
  return char_length(value) + char_length(regexp_replace(value, '[^\U00010000-\U0010FFFF]', '', 'g'));

-- One review per user and show. Deleting a user deletes their reviews; a show with reviews is not deletable.
create table reviews (
  show_id              text not null references shows on delete restrict,
  user_id              uuid not null references users on delete cascade,
  audience_interaction text not null check (audience_interaction in ('no', 'very_little', 'yes')),
  notes                text check (notes ~ '\S' and utf16_length(notes) <= 1000),
  created_at           timestamptz(3) not null default now(),
  primary key (show_id, user_id)
);
create index reviews_newest on reviews (show_id, created_at desc);
create index reviews_user on reviews (user_id);

-- Reviews of a show, counted by interaction, and the time of the newest one, by which the list is sorted.
create table tallies (
  show_id     text primary key references shows on delete cascade,
  no          integer not null default 0 check (no >= 0),
  very_little integer not null default 0 check (very_little >= 0),
  yes         integer not null default 0 check (yes >= 0),
  latest_at   timestamptz(3)
);

-- Adds a difference to a show's tallies. The row lock serializes concurrent reviews of a show, so that
-- max(created_at) sees all earlier ones.
create function add_to_tally(of_show text, answer text, difference integer) returns void
  language plpgsql as $$
begin
  insert into tallies (show_id) values (of_show) on conflict do nothing;
  perform from tallies where show_id = of_show for update;
  update tallies set
    no          = no          + case when answer = 'no'          then difference else 0 end,
    very_little = very_little + case when answer = 'very_little' then difference else 0 end,
    yes         = yes         + case when answer = 'yes'         then difference else 0 end,
    latest_at   = (select max(created_at) from reviews where show_id = of_show)
  where show_id = of_show;
  perform pg_notify('tallies_changed', of_show);
end $$;

create function tally_review() returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform add_to_tally(old.show_id, old.audience_interaction, -1); end if;
  if tg_op <> 'DELETE' then perform add_to_tally(new.show_id, new.audience_interaction, 1); end if;
  return null;
end $$;

create trigger reviews_tally after insert or update or delete on reviews
  for each row execute function tally_review();

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
  error       text,
  check ((finished_at is null) = (outcome is null))
);
