-- The browser's files of the last builds. While old and new instances run side by side, and for pages that were
-- open before an upgrade, each instance also serves the files of other builds.
create table client_builds (
  id         text primary key, -- a digest of the names, which contain content hashes
  started_at timestamptz not null default now()
);

create table client_files (
  build_id text not null references client_builds on delete cascade,
  name     text not null,
  content  bytea not null,
  primary key (build_id, name)
);
