-- The keyed hash of an identity: nested, because SHA-256 of key and text alone could be extended.
create or replace function identity_hash(provider text, subject text) returns bytea
  language sql stable strict
  return (select sha256(key || sha256(key || convert_to(provider || ':' || subject, 'UTF8'))) from ban_key);

-- The keyed hashes by which the site recognises an account. @param email null unless it is verified
create or replace function identity_hashes(provider text, subject text, email text) returns bytea[] language sql stable
  return array_remove(array[identity_hash(provider, subject), identity_hash('email', email_key(email))], null);

-- Inherits once: later decisions of the operator hold, also when the user links another identity of the same account.
-- The deleted account keeps everything, because its other identities may come back as another user.
create or replace function inherit_deleted_account() returns trigger language plpgsql as $$
declare
  former deleted_accounts;
begin
  for former in
    with known as (
      delete from deleted_accounts
      where hash = any (identity_hashes(new.provider, new.subject, case when new.email_verified then new.email end))
      returning *
    )
    select distinct on (id) * from known where heir is distinct from new.user_id and deleted_at > now() - interval '30 days'
  loop
    update deleted_accounts set heir = new.user_id where id = former.id;
    update users set quarantined_at = coalesce(quarantined_at, former.quarantined_at),
      dismissed_reports = dismissed_reports + former.dismissed_reports where id = new.user_id;
    update report_reasons set reporter_id = new.user_id where former_reporter = former.id
      and reporter_id is null and not exists (
      select from report_reasons as own where own.reporter_id = new.user_id
        and (own.note_id, own.report_id) = (report_reasons.note_id, report_reasons.report_id));
    update reviews set counted = false where user_id = new.user_id and counted and former.quarantined_at is not null;
    insert into text_verdicts
      select new.user_id, hash, verdict, at from text_verdicts where user_id = former.id
    on conflict do nothing;
    insert into deleted_reviews as own (user_id, show_id, created_at, deleted_at, hidden_rule, note_hash)
      select new.user_id, show_id, created_at, deleted_at, hidden_rule, note_hash from deleted_reviews
      where user_id = former.id
    on conflict (user_id, show_id) do update set created_at = least(own.created_at, excluded.created_at),
      deleted_at = greatest(own.deleted_at, excluded.deleted_at), hidden_rule = coalesce(own.hidden_rule, excluded.hidden_rule),
      note_hash = coalesce(own.note_hash, excluded.note_hash);
    -- Where the user has a mark of the same show already.
    insert into text_verdicts
      select new.user_id, note_hash, hidden_rule, deleted_at from deleted_reviews
      where user_id = former.id and hidden_rule is not null and note_hash is not null
    on conflict do nothing;
    -- Reviews that the user has written before this identity was linked.
    with hidden as (
      update reviews set created_at = least(reviews.created_at, gone.created_at),
        hidden_hash = coalesce(reviews.hidden_hash, gone.note_hash),
        hidden_rule = case when own.verdict = 'keep' then reviews.hidden_rule
          else coalesce(reviews.hidden_rule, gone.hidden_rule, own.verdict) end,
        overridden_rule = case when own.verdict = 'keep' and reviews.hidden_rule is null
          then coalesce(reviews.overridden_rule, gone.hidden_rule) end
      from (
        select show_id, verdict_on(user_id, note_hash(notes)) as verdict from reviews
        where user_id = new.user_id
      ) as own left join deleted_reviews as gone on gone.user_id = former.id and gone.show_id = own.show_id
      where reviews.user_id = new.user_id and reviews.show_id = own.show_id
        and (gone.user_id is not null or (reviews.hidden_rule is null and own.verdict <> 'keep'))
      returning reviews.*
    )
    insert into reports (show_id, author_id, note_id, rule)
      select show_id, user_id, note_id, hidden_rule from hidden
      where hidden_rule is not null and notes is not null and not exists (
        select from reports where author_id = user_id and reports.show_id = hidden.show_id and decided_at is null);
  end loop;
  return null;
end $$;
create or replace trigger identities_inserted after insert on identities for each row execute function inherit_deleted_account();

-- Deleting the account does not reset write limits: `review_limits` keeps the counts under `deleted_accounts.id`. Runs before
-- `inherit_deleted_account`, which deletes that row.
create or replace function inherit_write_counts() returns trigger language plpgsql as $$
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
create or replace trigger identities_inserting before insert on identities for each row execute function inherit_write_counts();
