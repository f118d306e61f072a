-- Tallies change with their reviews, in one transaction, and are notified after it (docs/product.md §2.3).

-- The row lock serializes concurrent reviews of a show, so that max(created_at) sees all earlier ones. An update that
-- changes no tally still raises the revision and notifies, because notes may have changed.
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
create or replace function count_reviews() returns trigger language plpgsql as $$
declare
  sign integer := tg_argv[0]; -- 1 for written reviews, -1 for deleted ones
begin
  perform add_to_tally(show_id, sign * no, sign * very_little, sign * yes) from (
    select show_id,
      count(*) filter (where audience_interaction = 'no' and counted) as no,
      count(*) filter (where audience_interaction = 'very_little' and counted) as very_little,
      count(*) filter (where audience_interaction = 'yes' and counted) as yes
    from changed group by show_id order by show_id) as differences;
  return null;
end $$;

create or replace function recount_reviews() returns trigger language plpgsql as $$
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

create or replace trigger reviews_inserted after insert on reviews
  referencing new table as changed for each statement execute function count_reviews('1');
create or replace trigger reviews_deleted after delete on reviews
  referencing old table as changed for each statement execute function count_reviews('-1');
create or replace trigger reviews_updated after update on reviews
  referencing old table as removed new table as written for each statement execute function recount_reviews();
