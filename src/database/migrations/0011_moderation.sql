-- Moderation (docs/product.md §13): notes can be reported and hidden, and an account's reviews put in quarantine.

-- Set while the user's reviews count for nobody else.
alter table users
  add column quarantined_at timestamptz,
  -- How many of the user's reports were dismissed: from three on, their reports hide nothing.
  add column dismissed_reports integer not null default 0 check (dismissed_reports >= 0);

alter table reviews
  -- What public responses call the notes. It leads to nobody, and changes with them.
  add column note_id uuid not null default gen_random_uuid(),
  -- Whether the review is in tallies, order and notes: false in quarantine. A column, because the tallies of
  -- reviews that go with their user must still tell which of them counted.
  add column counted boolean not null default true,
  -- The rule under which the notes are hidden from everybody but their author.
  add column hidden_rule text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake'));
create unique index reviews_note_id on reviews (note_id);
-- The newest notes of all, for the operator.
create index reviews_newest_notes on reviews (created_at desc) where notes is not null;

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

-- How often what happened in a year (UTC), for the terms: reports themselves do not stay.
create table moderation_counts (
  year  integer not null,
  event text not null check (event in ('report', 'keep', 'hide', 'remove-note', 'remove-review', 'ban', 'objection')),
  count integer not null check (count >= 0),
  primary key (year, event)
);

-- Signed links to a report that were used.
create table used_moderation_links (id uuid primary key, used_at timestamptz not null default now());

-- Shows that take no reviews for now; the row without a show stands for all of them.
create table review_closures (
  show_id   text references shows,
  closed_at timestamptz not null default now(),
  unique nulls not distinct (show_id)
);

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

-- The tallies, as before, but of counted reviews alone. An update that changes no tally still raises the revision and
-- notifies, because notes may have changed.
create or replace function add_to_tally(of_show text, more_no bigint, more_very_little bigint, more_yes bigint) returns void
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
    revision    = revision + 1,
    changed_at  = now()
  where show_id = of_show
  returning * into changed;
  perform pg_notify('tallies', json_build_object(
    'show_id', of_show,
    'revision', changed.revision,
    'no', changed.no,
    'very_little', changed.very_little,
    'yes', changed.yes,
    'latest_at', to_char(changed.latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'changed_at', to_char(changed.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text);
  perform pg_notify('tallies_changed', of_show);
end $$;

create or replace function tally_inserted() returns trigger language plpgsql as $$
begin
  perform add_to_tally(show_id, no, very_little, yes) from (
    select show_id,
      count(*) filter (where audience_interaction = 'no' and counted) as no,
      count(*) filter (where audience_interaction = 'very_little' and counted) as very_little,
      count(*) filter (where audience_interaction = 'yes' and counted) as yes
    from written group by show_id order by show_id) as differences;
  return null;
end $$;

create or replace function tally_deleted() returns trigger language plpgsql as $$
begin
  perform add_to_tally(show_id, -no, -very_little, -yes) from (
    select show_id,
      count(*) filter (where audience_interaction = 'no' and counted) as no,
      count(*) filter (where audience_interaction = 'very_little' and counted) as very_little,
      count(*) filter (where audience_interaction = 'yes' and counted) as yes
    from removed group by show_id order by show_id) as differences;
  return null;
end $$;

create or replace function tally_updated() returns trigger language plpgsql as $$
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
