-- The keyed hash of a text as people see it: without case, white space, invisible characters and punctuation. A text of
-- punctuation alone keeps it. Ranges instead of classes, which depend on the database's locale.
create or replace function note_hash(notes text) returns bytea language sql stable strict as $$
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
$$;

-- The verdict on a text of an author at any show: `keep`, or the rule under which it was hidden, by a decision or
-- until one. Null without a verdict.
create or replace function verdict_on(author uuid, text_hash bytea) returns text language sql stable as $$
  select coalesce((
    select case action when 'keep' then 'keep' else rule end
    from decisions join reports on reports.id = report_id
    where author_id = author and undone_at is null
      and (note_hash = text_hash or action <> 'keep' and decisions.hidden_hash = text_hash)
    order by decisions.id desc limit 1
  ), (
    select verdict from text_verdicts
    where user_id = author and hash = text_hash and at > now() - interval '30 days'
  ), (
    -- Another text was kept in its place.
    select rule from decisions join reports on reports.id = report_id
    where author_id = author and undone_at is null and decisions.hidden_hash = text_hash
    order by decisions.id desc limit 1
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
create or replace trigger reviews_prepared before insert or update on reviews for each row execute function prepare_review();
