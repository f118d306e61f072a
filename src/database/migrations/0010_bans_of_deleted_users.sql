-- The key of the hashes in `banned_identities`: one random key for each database, so that hashes of two of them tell
-- nothing together, and that no hash can be computed from what stands outside the database.
create table ban_key (
  id  boolean primary key default true check (id),
  key bytea not null check (octet_length(key) = 32)
);
insert into ban_key (key) values (sha256(decode(
  replace(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')));

-- Identities of banned users that were deleted: the ban outlives its user.
create table banned_identities (
  hash      bytea primary key check (octet_length(hash) = 32),
  banned_at timestamptz not null
);

-- The keyed hash of an identity: nested, because SHA-256 of key and text alone could be extended.
create function identity_hash(provider text, subject text) returns bytea
  language sql stable strict
  return (select sha256(key || sha256(key || convert_to(provider || ':' || subject, 'UTF8'))) from ban_key);
