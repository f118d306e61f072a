import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { interactions } from "../../domain/review.ts";
import { type AuthoredNotes, clusterSimilarNotes, MIN_ACCOUNTS } from "./similar-notes.ts";

/** Accounts that look as if one person or company had made them, and why (docs/product.md §13.33). */
export interface SuspiciousGroup {
  sign: "burst" | "one_company" | "similar_notes";
  /** `possible` signs are often honest: fans of a company, or a first-night audience. */
  grade: "likely" | "possible";
  /** In words, for the operator. */
  reason: string;
  shows: { id: string; title: string; artist: string | null }[];
  accounts: { id: string; email: string; first_sign_in_at: Date; reviews: number }[];
  first_review_at: Date;
  last_review_at: Date;
}

/** A group before its shows and accounts are looked up. */
interface Finding extends Pick<SuspiciousGroup, "sign" | "grade" | "reason"> {
  showIds: readonly string[];
  userIds: readonly string[];
  from: Date;
  until: Date;
}

/** Accounts that wrote on one show, each at most an hour after the one before. */
const MIN_BURST = 5;

/** The share of a burst's young accounts that have reviewed this company alone. */
const MIN_LOYAL_SHARE = 0.8;

/** A likely burst: this share of it gave one answer, and of the other reviews, if there are some, fewer did. */
const MIN_AGREEMENT = 0.8;
const MAX_AGREEMENT_OF_OTHERS = 0.6;
const MIN_OTHERS = 5;

/** Accounts that reviewed several shows of one company, and nothing else, in one go. */
const MIN_ONE_COMPANY = 3;

/** Notes of accounts with more reviews are not compared: whoever makes accounts for one purpose writes few. */
const MAX_REVIEWS = 5;

/** Notes are compared if they share a prefix of this many characters, without case. */
const PREFIX_LENGTH = 16;

/**
 * Finds suspicious groups among all counted reviews, likely ones first, then the largest. What is in
 * quarantine already is left out. It reads what is stored of reviews and accounts, nothing else.
 */
export async function findSuspiciousGroups(db: Kysely<Schema>): Promise<SuspiciousGroup[]> {
  // Concurrently: each takes seconds of processor time.
  const findings = await Promise.all([
    analyse(db, findBursts),
    analyse(db, findOneCompanyAccounts),
    analyse(db, findSimilarNotes),
  ]);
  const groups = await lookUp(db, findings.flat());
  return groups.sort((a, b) => a.grade.localeCompare(b.grade) || b.accounts.length - a.accounts.length);
}

/** Runs an analysis in a transaction with enough `work_mem` for its joins. */
function analyse(
  db: Kysely<Schema>,
  find: (trx: Transaction<Schema>) => Promise<Finding[]>,
): Promise<Finding[]> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(trx);
    return find(trx);
  });
}

/**
 * The company of each show, as a hash: its artist, or the show itself where there is none. `offset 0` lets it
 * be hashed once for each show, not for each review.
 */
const companies = sql`(
  select id, hashtextextended(coalesce(lower(artist), id), 0) as company from shows offset 0) as companies`;

/** What each account with counted reviews has reviewed. */
const reviewers = sql`reviewers as materialized (
    select written.*, users.created_at as joined_at from (
      select user_id, min(company) as company, min(company) = max(company) as is_loyal, count(*)::integer as reviews
      from reviews join ${companies} on companies.id = show_id where counted group by user_id
    ) as written join users on users.id = user_id)`;

interface BurstRow {
  show_id: string;
  user_ids: string[];
  from: Date;
  until: Date;
  /** How many of them gave each answer, in the order of `interactions`. */
  answers: number[];
  /** The same of all reviews of the show. */
  tally: number[];
  /** All accounts that reviewed the show on their first day meanwhile. */
  young: number;
}

/** Accounts on their first day that reviewed one show in a row, and no other company. */
async function findBursts(trx: Transaction<Schema>): Promise<Finding[]> {
  const { rows } = await sql<BurstRow>`
    with ${reviewers}, young as (
      select show_id, user_id, audience_interaction, created_at, (created_at - lag(created_at) over by_show > interval '1 hour')::integer as gap
      from reviewers join reviews using (user_id) where is_loyal and created_at < joined_at + interval '1 day'
      window by_show as (partition by show_id order by created_at)
    ), numbered as (
      select *, sum(gap) over (partition by show_id order by created_at) as number from young
    ), bursts as (
      select show_id, array_agg(user_id) as user_ids, min(created_at) as from, max(created_at) as until,
        array[count(*) filter (where audience_interaction = 'no'),
          count(*) filter (where audience_interaction = 'very_little'),
          count(*) filter (where audience_interaction = 'yes')]::integer[] as answers
      from numbered group by show_id, number having count(*) >= ${MIN_BURST}
    )
    select bursts.*, array[no, very_little, yes] as tally,
      (select count(*)::integer from reviews join users on users.id = user_id
        where reviews.show_id = bursts.show_id and reviews.created_at between bursts.from and until and counted
          and reviews.created_at < users.created_at + interval '1 day') as young
    from bursts join tallies using (show_id)`.execute(trx);
  return rows.filter(({ user_ids, young }) => user_ids.length >= young * MIN_LOYAL_SHARE).map(toBurst);
}

function toBurst(row: BurstRow): Finding {
  const { show_id, user_ids, from, until, answers, tally } = row;
  const accounts = user_ids.length;
  const agreeing = Math.max(...answers);
  const answer = answers.indexOf(agreeing);
  const others = sum(tally) - accounts;
  const othersAgreeing = (tally[answer] ?? 0) - agreeing;
  const reason = [
    `${accounts} accounts reviewed this show on their first day, one after the other, and no other company`,
    `${agreeing} of them answered ${interactions[answer]}`,
    ...(others > 0 ? [`so did ${othersAgreeing} of the ${others} other reviews`] : []),
  ].join("; ");
  const disagrees = others < MIN_OTHERS || othersAgreeing <= others * MAX_AGREEMENT_OF_OTHERS;
  return {
    sign: "burst",
    grade: agreeing >= accounts * MIN_AGREEMENT && disagrees ? "likely" : "possible",
    reason,
    showIds: [show_id],
    userIds: user_ids,
    from,
    until,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Accounts with several reviews that are all of one company. */
async function findOneCompanyAccounts(trx: Transaction<Schema>): Promise<Finding[]> {
  const { rows } = await sql<{
    user_ids: string[];
    show_ids: string[];
    from: Date;
    until: Date;
    hurried: boolean;
  }>`
    with ${reviewers}, several as (
      select reviewers.*, first_at, last_at,
        last_at < first_at + interval '1 hour' and first_at < joined_at + interval '1 day' as hurried
      from reviewers cross join lateral (
        select min(created_at) as first_at, max(created_at) as last_at from reviews
        where reviews.user_id = reviewers.user_id
      ) as times where is_loyal and reviewers.reviews >= 2
    ), groups as (
      select company, hurried, array_agg(user_id) as user_ids, min(first_at) as from, max(last_at) as until
      from several where hurried or reviews >= ${MIN_ONE_COMPANY} group by company, hurried
    )
    select user_ids, groups.from, until, hurried,
      (select array_agg(distinct show_id) from reviews where user_id = any (user_ids)) as show_ids
    from groups where not hurried or cardinality(user_ids) >= ${MIN_ONE_COMPANY}`.execute(trx);
  return rows.map(({ user_ids, show_ids, from, until, hurried }) => ({
    sign: "one_company",
    grade: hurried ? "likely" : "possible",
    reason: hurried
      ? `${user_ids.length} accounts reviewed several shows of this company within an hour of their first day, and nothing else`
      : `all reviews of ${user_ids.length === 1 ? "one account" : `${user_ids.length} accounts`} are of this company`,
    showIds: show_ids,
    userIds: user_ids,
    from,
    until,
  }));
}

interface NotesRow extends AuthoredNotes {
  showId: string;
  /** In s since 1970. */
  createdAt: number;
}

/** Accounts that wrote nearly the same notes about one company, with the same prefix. */
async function findSimilarNotes(trx: Transaction<Schema>): Promise<Finding[]> {
  // In the collation "C" lower() is fast. It folds ASCII alone, which is enough to find notes to compare.
  const { rows } = await sql<NotesRow>`
    select show_id as "showId", user_id as "userId", notes, extract(epoch from created_at)::float8 as "createdAt",
      prefix_hash as "prefixHash"
    from (
      select *, count(*) over (partition by prefix_hash) as size
      from (
        select show_id, user_id, notes, created_at,
          hashtextextended(lower(left(notes, ${PREFIX_LENGTH}) collate "C"), companies.company) as prefix_hash
        from reviews join ${companies} on companies.id = show_id join (
          select user_id from reviews where counted group by user_id having count(*) <= ${MAX_REVIEWS}
        ) as compared_users using (user_id)
        where counted and octet_length(notes) >= ${PREFIX_LENGTH}
      ) as written
    ) as compared where size >= ${MIN_ACCOUNTS} order by prefix_hash, created_at, user_id`.execute(trx);
  return clusterSimilarNotes(rows).map(toSimilarNotes);
}

function toSimilarNotes(cluster: NotesRow[]): Finding {
  const members = cluster.toSorted((a, b) => a.createdAt - b.createdAt);
  const userIds = [...new Set(members.map(({ userId }) => userId))];
  const times = members.map(({ createdAt }) => createdAt * 1000);
  return {
    sign: "similar_notes",
    grade: "likely",
    reason: `${userIds.length} accounts wrote nearly the same notes: ${members[0]?.notes}`,
    showIds: [...new Set(members.map(({ showId }) => showId))],
    userIds,
    from: new Date(Math.min(...times)),
    until: new Date(Math.max(...times)),
  };
}

/** Adds what the operator wants to know of shows and accounts. */
async function lookUp(db: Kysely<Schema>, findings: readonly Finding[]): Promise<SuspiciousGroup[]> {
  const shows = new Map(
    (
      await db
        .selectFrom("shows")
        .select(["id", "title", "artist"])
        .where("id", "=", sql<string>`any (${findings.flatMap(({ showIds }) => showIds)})`)
        .execute()
    ).map((show) => [show.id, show]),
  );
  const { rows } = await sql<SuspiciousGroup["accounts"][number]>`
    select id, email, users.created_at as first_sign_in_at,
      (select count(*)::integer from reviews where user_id = id) as reviews
    from users where id = any (${findings.flatMap(({ userIds }) => userIds)}::uuid[])`.execute(db);
  const accounts = new Map(rows.map((account) => [account.id, account]));
  const present = <T>(values: (T | undefined)[]) => values.filter((value) => value !== undefined);
  return findings.map(({ showIds, userIds, from, until, ...finding }) => ({
    ...finding,
    shows: present(showIds.map((id) => shows.get(id))),
    accounts: present(userIds.map((id) => accounts.get(id))),
    first_review_at: from,
    last_review_at: until,
  }));
}
