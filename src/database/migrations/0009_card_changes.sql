-- When what a card shows has last changed, for the sitemap: the show here, its reviews in `tallies`. Until now only
-- `updated_at` was kept, which grows with fields that no card shows.
alter table shows add column card_changed_at timestamptz(3) not null default now();
update shows set card_changed_at = updated_at;

-- A trigger, so that the previous version's refresh keeps it as well.
create function note_card_change() returns trigger language plpgsql as $$
declare
  unseen constant text[] := '{details,created_at,updated_at,card_changed_at}';
begin
  if to_jsonb(new) - unseen is distinct from to_jsonb(old) - unseen then new.card_changed_at := now(); end if;
  return new;
end $$;
create trigger shows_card_changed before update on shows for each row execute function note_card_change();

alter table tallies add column changed_at timestamptz(3) not null default now();
update tallies set changed_at = latest_at where latest_at is not null;

-- As before, and with the time of the change, which the notification carries too: an edited or deleted review does
-- not change `latest_at`. Listeners of the previous version ignore it.
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
    latest_at   = (select max(created_at) from reviews where show_id = of_show),
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
  -- For instances of the previous version, which run beside the new ones during a rolling restart.
  perform pg_notify('tallies_changed', of_show);
end $$;
