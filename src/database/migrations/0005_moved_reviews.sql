-- The operator's move (audit.id) that brought a review to its show. Null unless it was moved, and again once its author
-- replaces it: undoing the move takes back only what the move brought.
alter table reviews add column moved_by bigint;
