-- The public notes, in the order of their pages. Replaces `reviews_notes`: counting notes and skipping earlier pages reads
-- only this index.
create index reviews_visible_notes on reviews (show_id, audience_interaction, created_at desc, user_id)
  where notes is not null and counted and hidden_rule is null;
drop index reviews_notes;
