create or replace function count_moderation() returns trigger language plpgsql as $$
begin
  insert into moderation_counts as counted values (
    extract(year from coalesce((to_jsonb(new) ->> 'at')::timestamptz, now()) at time zone 'UTC'),
    coalesce(to_jsonb(new) ->> 'action', tg_argv[1]), tg_argv[0]::integer)
  on conflict (year, event) do update set count = counted.count + excluded.count;
  return null;
end $$;
create or replace trigger report_counted after insert on report_reasons for each row
  when (new.reporter_id is not null) execute function count_moderation('1', 'report');
create or replace trigger anonymous_report_counted after update of anonymous_count on reports for each row
  when (new.anonymous_count > old.anonymous_count) execute function count_moderation('1', 'report');
create or replace trigger objection_counted after update of objected_at on reports for each row
  when (new.objected_at > coalesce(old.objected_at, '-infinity')) execute function count_moderation('1', 'objection');
create or replace trigger decision_counted after insert on decisions for each row execute function count_moderation('1');
create or replace trigger undo_counted after update of undone_at on decisions for each row
  when (old.undone_at is null and new.undone_at is not null) execute function count_moderation('-1');
