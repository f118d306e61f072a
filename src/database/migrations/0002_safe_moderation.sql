-- The keyed hash of a text as people see it: without case, white space, invisible characters and punctuation. A text of
-- punctuation alone keeps it. Ranges instead of classes, which depend on the database's locale.
create function note_hash(notes text) returns bytea language sql stable strict
  return (
    select identity_hash('note', coalesce(nullif(regexp_replace(visible, '['
      || '!-/:-@[-`{-~\u00a1\u00a7\u00ab\u00b4\u00b6-\u00b8\u00bb\u00bf\u02b9-\u02df\u055a-\u055f\u0589\u058a\u05be-\u05c6'
      || '\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0700-\u070d\u0964\u0965\u0970\u0e4f\u0e5a\u0e5b'
      || '\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u166e\u16eb-\u16ed\u17d4-\u17da\u1800-\u180a\u2010-\u205e'
      || '\u2212\u2215\u2e00-\u2e7f\u3001-\u3003\u3008-\u3011\u3014-\u301f\u3030\u303d\u30a0\u30fb\ufe10-\ufe6f]+',
      '', 'g'), ''), visible))
    from regexp_replace(replace(lower(upper(normalize(notes, nfkc))), 'ß', 'ss'), '['
      || '\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f'
      || '\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb'
      || '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+', '', 'g') as visible
  );

-- Hiding and removing are marks on the review, which a decision or undoing one clears.
alter table reviews
  add hidden_at   timestamptz, -- since when `hidden_rule` holds
  add hidden_hash bytea, -- of the hidden notes, even if their author has changed them since
  -- The rule of the mark while a kept text is shown in spite of it: the next text without a verdict is hidden again.
  add overridden_rule text check (overridden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  -- Since when the notes, or the whole review, are removed under that rule. The text is purged later.
  add removed_at timestamptz,
  add removal    text check (removal in ('note', 'review'));

update reviews set hidden_hash = note_hash(notes), hidden_at = coalesce((
  select max(hidden_at) from reports where author_id = user_id and reports.show_id = reviews.show_id), now())
where hidden_rule is not null;
create index reviews_hidden_hash on reviews (user_id, hidden_hash) where hidden_hash is not null;

alter table reviews
  add check ((hidden_rule is null) = (hidden_at is null)),
  add check (hidden_rule is null or overridden_rule is null),
  -- Checked at the end of a statement: two reviews may exchange their notes.
  add constraint reviews_note unique (note_id) deferrable,
  add check ((removed_at is null) = (removal is null) and (removed_at is null or hidden_rule is not null));

drop index reviews_note_id;

-- Without removed notes and reviews.
create view present_reviews as
  select show_id, user_id, audience_interaction, case when removed_at is null then notes end as notes, created_at,
    note_id, counted, hidden_rule, hidden_at, hidden_hash
  from reviews where removal is distinct from 'review';

-- A ban also follows a verified e-mail, for a time.
alter table banned_identities add ends_at timestamptz; -- null for an identity

-- The keyed hashes by which the site recognises an account. @param email null unless it is verified
create function identity_hashes(provider text, subject text, email text) returns bytea[] language sql stable
  return array_remove(array[identity_hash(provider, subject), identity_hash('email', email_key(email))], null);

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

-- Now also of deleted accounts, and with hidden notes.
alter table deleted_reviews
  drop constraint deleted_reviews_user_id_fkey,
  add hidden_rule text check (hidden_rule in ('personal_data', 'illegal', 'abusive', 'off_topic', 'fake')),
  add note_hash   bytea check (octet_length(note_hash) = 32); -- `hidden_hash` of hidden notes

insert into deleted_reviews (user_id, show_id, created_at, hidden_rule)
  select distinct on (author_id, show_id) author_id, show_id, opened_at, rule from reports
  where hidden_at is not null
    and not exists (select from reviews where user_id = author_id and reviews.show_id = reports.show_id)
  order by author_id, show_id, reports.id desc
on conflict (user_id, show_id) do update set hidden_rule = excluded.hidden_rule;

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

alter table report_reasons
  add former_reporter uuid, -- `deleted_accounts.id` of a signed-in reporter
  add dismissed_by    bigint; -- the decision by which it counts as dismissed
drop index report_reasons_once;
create unique index report_reasons_once on report_reasons (reporter_id, note_id, report_id);

-- Inherits once: later decisions of the operator hold, also when the user links another identity of the same account.
-- The deleted account keeps everything, because its other identities may come back as another user.
create function inherit_deleted_account() returns trigger language plpgsql as $$
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
create trigger identities_inserted after insert on identities for each row execute function inherit_deleted_account();

alter table decisions
  add link_id       uuid unique, -- the link that decided: each decides once
  add note_id       uuid, -- the notes at the decision; null if there were none
  add note_hash     bytea, -- of their text
  add hidden_before timestamptz, -- since when they were hidden before the decision
  add hidden_hash   bytea; -- the review's before the decision
update decisions set note_id = (undo -> 'review' ->> 'note_id')::uuid,
  note_hash = note_hash(undo -> 'review' ->> 'notes'),
  hidden_before = (undo ->> 'hidden_at')::timestamptz,
  hidden_hash = case when undo ->> 'hidden_at' is not null then note_hash(undo -> 'review' ->> 'notes') end;
update report_reasons set dismissed_by = decisions.id from decisions
where action = 'keep' and undone_at is null and decisions.report_id = report_reasons.report_id
  and decisions.note_id = report_reasons.note_id;

-- Reports of signed-out visitors count as `off_topic`.
update reports set rule = coalesce((
  select reason from report_reasons where report_id = reports.id and reporter_id is not null
  order by array_position('{personal_data,illegal,abusive,off_topic,fake}', reason) limit 1), 'off_topic')
where decided_at is null and hidden_at is null;

alter table decisions drop undo;
alter table reports
  drop hidden_at,
  add announced_note uuid; -- the notes when the operator was notified last
drop table used_moderation_links;

-- The verdict on a text of an author at any show: `keep`, or the rule under which it was hidden, by a decision or
-- until one. Null without a verdict.
create function verdict_on(author uuid, text_hash bytea) returns text language sql stable as $$
  select coalesce((
    select case when action = 'keep' and note_hash is not distinct from text_hash then 'keep' else rule end
    from decisions join reports on reports.id = report_id
    where author_id = author and text_hash in (note_hash, decisions.hidden_hash) and undone_at is null
    order by decisions.id desc limit 1
  ), (
    select verdict from text_verdicts
    where user_id = author and hash = text_hash and at > now() - interval '30 days'
  ), (
    select coalesce(hidden_rule, overridden_rule) from reviews
    where user_id = author and hidden_hash is not null
      and (hidden_hash = text_hash or hidden_rule is not null and note_hash(notes) = text_hash) limit 1
  ), (
    select hidden_rule from deleted_reviews
    where user_id = author and note_hash = text_hash and deleted_at > now() - interval '30 days' limit 1
  ))
$$;

create or replace function prepare_review() returns trigger language plpgsql as $$
declare
  hash     bytea;
  verdict  text;
  mark     text;
  is_moved boolean := tg_op = 'UPDATE' and new.note_id is distinct from old.note_id; -- with its notes and marks
begin
  if tg_op = 'INSERT' and new.hidden_rule is null then
    -- The mark of a deleted review or account comes back.
    select hidden_rule, note_hash into new.hidden_rule, new.hidden_hash from deleted_reviews
      where user_id = new.user_id and show_id = new.show_id and deleted_at > now() - interval '30 days';
  end if;
  if tg_op = 'INSERT' or new.removal is distinct from old.removal then
    new.counted := new.removal is distinct from 'review'
      and coalesce((select quarantined_at is null from users where id = new.user_id), true);
  end if;
  if tg_op = 'INSERT' or new.notes is distinct from old.notes then
    verdict := verdict_on(new.user_id, note_hash(new.notes));
    mark := coalesce(new.hidden_rule, new.overridden_rule);
    if mark is null then
      new.hidden_rule := nullif(verdict, 'keep');
    elsif not is_moved then
      -- A kept text is shown in spite of the mark, which only a decision ends.
      new.overridden_rule := case when verdict = 'keep' and new.removal is null then mark end;
      new.hidden_rule := case when new.overridden_rule is null then mark end;
    end if;
    if tg_op = 'UPDATE' and not is_moved and old.hidden_rule is not null and note_hash(old.notes) <> old.hidden_hash then
      -- It was not decided on, and must not be shown at another show.
      insert into text_verdicts (user_id, hash, verdict) values (old.user_id, note_hash(old.notes), old.hidden_rule)
      on conflict on constraint text_verdicts_pkey do update set at = excluded.at;
    end if;
    -- Notes moved from another show keep their id.
    if not is_moved then
      -- A text that comes back has the same id.
      hash := substr(identity_hash(new.user_id || ' ' || new.show_id, coalesce(new.notes, '')), 1, 16);
      hash := set_byte(set_byte(hash, 6, get_byte(hash, 6) & 15 | 128), 8, get_byte(hash, 8) & 63 | 128); -- version 8
      new.note_id := encode(hash, 'hex')::uuid;
      -- The review was moved to another show later.
      if exists (select from reviews where note_id = new.note_id) then
        new.note_id := gen_random_uuid();
      end if;
    end if;
  end if;
  if new.hidden_rule is not null then
    new.overridden_rule := null;
  end if;
  new.hidden_at := case when new.hidden_rule is not null then coalesce(new.hidden_at, now()) end;
  new.hidden_hash := case when new.hidden_rule is not null then coalesce(new.hidden_hash, note_hash(new.notes))
    when new.overridden_rule is not null then new.hidden_hash end;
  new.removed_at := case when new.removal is not null then coalesce(new.removed_at, now()) end;
  return new;
end $$;

-- The session of an exchanged code ends if the code is used again. Deleting an account needs the time of the provider's
-- authentication.
alter table sign_ins
  add column session_id       uuid, -- it may have ended since
  add column authenticated_at timestamptz; -- null if the provider sent none
