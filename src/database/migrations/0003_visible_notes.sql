-- The notes that anybody may read, in the order in which they are shown. In place of `reviews_notes`: counting them, and
-- passing over those of earlier pages, reads this index alone.
create index reviews_visible_notes on reviews (show_id, audience_interaction, created_at desc, user_id)
  where notes is not null and counted and hidden_rule is null;
drop index reviews_notes;
