-- The time of the last backup.
create table backups (finished_at timestamptz primary key default now());

-- Reports, objections and decisions of each year (UTC), also those of deleted reports. Undone decisions do not count.
create table moderation_counts (
  year  integer not null,
  event text not null check (event in ('report', 'objection', 'keep', 'hide', 'remove-note', 'remove-review', 'ban')),
  count integer not null,
  primary key (year, event)
);

insert into moderation_counts
  select extract(year from at at time zone 'UTC'), event, count(*) from (
    select at, 'report' as event from report_reasons
    union all select objected_at, 'objection' from reports where objected_at is not null
    union all select at, action from decisions where undone_at is null
  ) as events group by 1, 2;

create function count_moderation() returns trigger language plpgsql as $$
begin
  insert into moderation_counts as counted values (
    extract(year from coalesce((to_jsonb(new) ->> 'at')::timestamptz, now()) at time zone 'UTC'),
    coalesce(to_jsonb(new) ->> 'action', tg_argv[1]), tg_argv[0]::integer)
  on conflict (year, event) do update set count = counted.count + excluded.count;
  return null;
end $$;
create trigger report_counted after insert on report_reasons for each row
  when (new.reporter_id is not null) execute function count_moderation('1', 'report');
create trigger anonymous_report_counted after update of anonymous_count on reports for each row
  when (new.anonymous_count > old.anonymous_count) execute function count_moderation('1', 'report');
create trigger objection_counted after update of objected_at on reports for each row
  when (new.objected_at > coalesce(old.objected_at, '-infinity')) execute function count_moderation('1', 'objection');
create trigger decision_counted after insert on decisions for each row execute function count_moderation('1');
create trigger undo_counted after update of undone_at on decisions for each row
  when (old.undone_at is null and new.undone_at is not null) execute function count_moderation('-1');

-- Deleting the account does not reset write limits: `review_limits` keeps the counts under `deleted_accounts.id`. Runs before
-- `inherit_deleted_account`, which deletes that row.
create function inherit_write_counts() returns trigger language plpgsql as $$
begin
  with former as (
    delete from review_limits using deleted_accounts
    where hash = any (identity_hashes(new.provider, new.subject, case when new.email_verified then new.email end))
      and key like '%:' || id
    returning key, points, expire
  )
  insert into review_limits as own (key, points, expire)
    select split_part(key, ':', 1) || ':' || new.user_id, sum(points), max(expire) from former
    where expire > extract(epoch from now()) * 1000 group by 1
  on conflict (key) do update set points = own.points + excluded.points, expire = greatest(own.expire, excluded.expire);
  return new;
end $$;
create trigger identities_inserting before insert on identities for each row execute function inherit_write_counts();

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
alter table decisions
  drop link_id,
  add link integer references queue_links on delete set null; -- the link that decided
create index decisions_link on decisions (link, id) where link is not null;
