-- Hiding and removing are marks on the review, which undoing clears.
alter table reviews
  add hidden_at timestamptz, -- since when `hidden_rule` holds
  -- Since when the notes, or all of the review, are removed under that rule. The text is purged some time later.
  add removed_at timestamptz,
  add removal    text check (removal in ('note', 'review'));

update reviews set hidden_at = coalesce((
  select max(hidden_at) from reports where author_id = user_id and reports.show_id = reviews.show_id), now())
where hidden_rule is not null;

alter table reviews
  add check ((hidden_rule is null) = (hidden_at is null)),
  add check ((removed_at is null) = (removal is null) and (removed_at is null or hidden_rule is not null));

-- Without what was removed.
create view present_reviews as
  select show_id, user_id, audience_interaction, case when removed_at is null then notes end as notes, created_at,
    note_id, counted, hidden_rule, hidden_at
  from reviews where removal is distinct from 'review';

-- Accounts that were deleted lately, by the keyed hash of each identity: who comes back has the same brakes.
create table deleted_accounts (
  hash              bytea primary key check (octet_length(hash) = 32),
  id                uuid not null, -- in place of the user's id in `deleted_reviews`; it leads to nobody
  quarantined_at    timestamptz,
  dismissed_reports integer not null check (dismissed_reports >= 0),
  deleted_at        timestamptz not null default now()
);
create index deleted_accounts_age on deleted_accounts (deleted_at);

-- Now also of accounts that were deleted, and with what was hidden.
alter table deleted_reviews
  drop constraint deleted_reviews_user_id_fkey,
  add hidden_rule text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  add note_hash   bytea check (octet_length(note_hash) = 32); -- of hidden notes: identity_hash('note', …)

insert into deleted_reviews (user_id, show_id, created_at, hidden_rule)
  select distinct on (author_id, show_id) author_id, show_id, opened_at, rule from reports
  where hidden_at is not null
    and not exists (select from reviews where user_id = author_id and reviews.show_id = reports.show_id)
  order by author_id, show_id, reports.id desc
on conflict (user_id, show_id) do update set hidden_rule = excluded.hidden_rule;

create function inherit_deleted_account() returns trigger language plpgsql as $$
declare
  former deleted_accounts;
begin
  select * into former from deleted_accounts
    where hash = identity_hash(new.provider, new.subject) and deleted_at > now() - interval '30 days';
  if found then
    update users set quarantined_at = coalesce(quarantined_at, former.quarantined_at),
      dismissed_reports = greatest(dismissed_reports, former.dismissed_reports) where id = new.user_id;
    update reviews set counted = false where user_id = new.user_id and counted and former.quarantined_at is not null;
    insert into deleted_reviews (user_id, show_id, created_at, deleted_at, hidden_rule, note_hash)
      select new.user_id, show_id, created_at, deleted_at, hidden_rule, note_hash from deleted_reviews
      where user_id = former.id
    on conflict (user_id, show_id) do nothing;
  end if;
  return null;
end $$;
create trigger identities_inserted after insert on identities for each row execute function inherit_deleted_account();

alter table decisions
  add link_id       uuid unique, -- the link by which it was decided: each decides once
  add note_id       uuid, -- the notes that were decided on; null if there were none
  add hidden_before timestamptz; -- since when they were hidden before the decision
update decisions set note_id = (undo -> 'review' ->> 'note_id')::uuid,
  hidden_before = (undo ->> 'hidden_at')::timestamptz;
alter table decisions drop undo;
alter table reports drop hidden_at;
drop table used_moderation_links;

create or replace function prepare_review() returns trigger language plpgsql as $$
declare
  hash bytea;
begin
  if tg_op = 'INSERT' and new.hidden_rule is null then
    -- Notes that were hidden when their author deleted the review, or the account, come back hidden.
    select hidden_rule into new.hidden_rule from deleted_reviews
      where user_id = new.user_id and show_id = new.show_id and deleted_at > now() - interval '30 days';
  end if;
  if tg_op = 'INSERT' or new.removal is distinct from old.removal then
    new.counted := new.removal is distinct from 'review'
      and coalesce((select quarantined_at is null from users where id = new.user_id), true);
  end if;
  if tg_op = 'INSERT' or new.notes is distinct from old.notes then
    -- The same text has the same id when it comes again, so that what was decided about it still holds.
    hash := substr(identity_hash(new.user_id || ' ' || new.show_id, coalesce(new.notes, '')), 1, 16);
    hash := set_byte(set_byte(hash, 6, get_byte(hash, 6) & 15 | 128), 8, get_byte(hash, 8) & 63 | 128); -- version 8
    new.note_id := encode(hash, 'hex')::uuid;
    -- Of a review that was moved to another show since.
    if exists (select from reviews where note_id = new.note_id) then
      new.note_id := gen_random_uuid();
    end if;
  end if;
  new.hidden_at := case when new.hidden_rule is not null then coalesce(new.hidden_at, now()) end;
  new.removed_at := case when new.removal is not null then coalesce(new.removed_at, now()) end;
  return new;
end $$;

-- Sign-ins: the session that a code began, so that using the code again can end it, and when the provider
-- authenticated the person, which deleting the account asks for.
alter table sign_ins
  add column session_id       uuid, -- it may have ended since
  add column authenticated_at timestamptz; -- null if the provider did not tell
