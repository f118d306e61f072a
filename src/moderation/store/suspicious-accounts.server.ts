import { sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { interactions } from "../../domain/review.ts";
import { setCounted } from "../../reviews/store/moderate-review.server.ts";
import { type AuthoredNotes, clusterSimilarNotes, MIN_ACCOUNTS } from "./similar-notes.ts";

/** Accounts that one person or company may have made, and why (docs/product.md §13.33). */
export interface SuspiciousGroup {
  sign: "burst" | "one_company" | "similar_notes";
  /** `possible` signs are often honest: fans of a company, or a first-night audience. */
  grade: "likely" | "possible";
  reason: string;
  shows: { id: string; title: string; artist: string | null }[];
  accounts: { id: string; email: string; first_sign_in_at: Date; reviews: number }[];
  first_review_at: Date;
  last_review_at: Date;
}

interface Finding extends Omit<SuspiciousGroup, "shows" | "accounts"> {
  showIds: readonly string[];
  userIds: readonly string[];
}

const MIN_BURST = 5; // accounts, each at most an hour after the one before
const MIN_LOYAL_SHARE = 0.8; // the share of a burst's young accounts that reviewed no other company
/** A burst is likely if this share of it chose one interaction, and a smaller share of other reviews did. */
const MIN_AGREEMENT = 0.8;
const MAX_AGREEMENT_OF_OTHERS = 0.6;
const MIN_OTHERS = 5;
const MIN_ONE_COMPANY = 3;
const MAX_REVIEWS = 5; // of a compared account: accounts made for a purpose write few
const PREFIX_LENGTH = 16;

/** Finds suspicious groups among all reviews that are not in quarantine, likely ones first, then the largest. */
export async function findSuspiciousGroups(db: Db): Promise<SuspiciousGroup[]> {
  // Concurrently: each takes seconds.
  const analyses = [findBursts, findOneCompanyAccounts, findSimilarNotes].map((find) => analyse(db, find));
  const findings = await Promise.all(analyses);
  const groups = await withDetails(db, findings.flat());
  return groups.sort((a, b) => a.grade.localeCompare(b.grade) || b.accounts.length - a.accounts.length);
}

function analyse(db: Db, find: (trx: Trx) => Promise<Finding[]>) {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(trx);
    return find(trx);
  });
}

/** A show's company is its artist, or the show itself. `offset 0` hashes once a show, not once a review. */
const companies = sql`(
  select id, hashtextextended(coalesce(lower(artist), id), 0) as company from shows offset 0) as companies`;

const reviewers = sql`reviewers as materialized (
    select written.*, users.created_at as joined_at from (
      select user_id, min(company) as company, min(company) = max(company) as is_loyal, count(*)::integer as reviews
      from reviews join ${companies} on companies.id = show_id where counted group by user_id
    ) as written join users on users.id = user_id)`;

interface BurstRow extends Pick<Finding, "userIds" | "first_review_at" | "last_review_at"> {
  showId: string;
  /** How many of them chose each interaction, in the order of `interactions`. */
  counts: number[];
  /** All reviews of the show, counted in the same way. */
  tally: number[];
  /** How many accounts reviewed the show in that time on their first day. */
  young: number;
}

/** Accounts on their first day that reviewed one show one after another, and no other company. */
async function findBursts(trx: Trx): Promise<Finding[]> {
  const { rows } = await sql<BurstRow>`
    with ${reviewers}, young as (
      select show_id, user_id, audience_interaction, created_at, (created_at - lag(created_at) over by_show > interval '1 hour')::integer as gap
      from reviewers join reviews using (user_id) where is_loyal and created_at < joined_at + interval '1 day'
      window by_show as (partition by show_id order by created_at)
    ), numbered as (
      select *, sum(gap) over (partition by show_id order by created_at) as number from young
    ), bursts as (
      select show_id, array_agg(user_id) as "userIds", min(created_at) as first_review_at, max(created_at) as last_review_at,
        array[count(*) filter (where audience_interaction = 'no'),
          count(*) filter (where audience_interaction = 'very_little'),
          count(*) filter (where audience_interaction = 'yes')]::integer[] as counts
      from numbered group by show_id, number having count(*) >= ${MIN_BURST}
    )
    select bursts.*, show_id as "showId", array[no, very_little, yes] as tally,
      (select count(*)::integer from reviews join users on users.id = user_id
        where reviews.show_id = bursts.show_id and reviews.created_at between first_review_at and last_review_at and counted
          and reviews.created_at < users.created_at + interval '1 day') as young
    from bursts join tallies using (show_id)`.execute(trx);
  return rows.filter(({ userIds, young }) => userIds.length >= young * MIN_LOYAL_SHARE).map(toBurst);
}

function toBurst({ showId, counts, tally, young: _, ...found }: BurstRow): Finding {
  const accounts = found.userIds.length;
  const agreeing = Math.max(...counts);
  const interaction = counts.indexOf(agreeing);
  const others = tally.reduce((total, count) => total + count, 0) - accounts;
  const othersAgreeing = (tally[interaction] ?? 0) - agreeing;
  const reason = [
    `${accounts} accounts reviewed this show on their first day, one after the other, and no other company`,
    `${agreeing} of them answered ${interactions[interaction]}`,
    ...(others > 0 ? [`so did ${othersAgreeing} of the ${others} other reviews`] : []),
  ].join("; ");
  const disagrees = others < MIN_OTHERS || othersAgreeing <= others * MAX_AGREEMENT_OF_OTHERS;
  const grade = agreeing >= accounts * MIN_AGREEMENT && disagrees ? "likely" : "possible";
  return { ...found, sign: "burst", grade, reason, showIds: [showId] };
}

async function findOneCompanyAccounts(trx: Trx): Promise<Finding[]> {
  const { rows } = await sql<Omit<Finding, "sign" | "grade" | "reason"> & { hurried: boolean }>`
    with ${reviewers}, several as (
      select reviewers.*, first_at, last_at,
        last_at < first_at + interval '1 hour' and first_at < joined_at + interval '1 day' as hurried
      from reviewers cross join lateral (
        select min(created_at) as first_at, max(created_at) as last_at from reviews
        where reviews.user_id = reviewers.user_id
      ) as times where is_loyal and reviewers.reviews >= 2
    ), groups as (
      select company, hurried, array_agg(user_id) as "userIds", min(first_at) as first_review_at, max(last_at) as last_review_at
      from several where hurried or reviews >= ${MIN_ONE_COMPANY} group by company, hurried
    )
    select "userIds", first_review_at, last_review_at, hurried,
      (select array_agg(distinct show_id) from reviews where user_id = any ("userIds")) as "showIds"
    from groups where not hurried or cardinality("userIds") >= ${MIN_ONE_COMPANY}`.execute(trx);
  return rows.map(({ hurried, ...found }) => ({
    ...found,
    sign: "one_company",
    grade: hurried ? "likely" : "possible",
    reason: hurried
      ? `${found.userIds.length} accounts reviewed several shows of this company within an hour of their first day, and nothing else`
      : `all reviews of ${found.userIds.length === 1 ? "one account" : `${found.userIds.length} accounts`} are of this company`,
  }));
}

/** Accounts that wrote nearly equal notes about one company. */
async function findSimilarNotes(trx: Trx): Promise<Finding[]> {
  // In the collation "C" lower() is fast. It folds ASCII alone, which is enough to find notes to compare.
  const { rows } = await sql<AuthoredNotes & { showId: string; time: number }>`
    select show_id as "showId", user_id as "userId", notes, prefix_hash as "prefixHash",
      extract(epoch from created_at)::float8 * 1000 as time
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
  return clusterSimilarNotes(rows).map((cluster) => {
    const times = cluster.map(({ time }) => time);
    const userIds = [...new Set(cluster.map(({ userId }) => userId))];
    return {
      sign: "similar_notes",
      grade: "likely",
      reason: `${userIds.length} accounts wrote nearly the same notes: ${cluster[0]?.notes}`,
      showIds: [...new Set(cluster.map(({ showId }) => showId))],
      userIds,
      first_review_at: new Date(Math.min(...times)),
      last_review_at: new Date(Math.max(...times)),
    };
  });
}

async function withDetails(db: Db, findings: readonly Finding[]): Promise<SuspiciousGroup[]> {
  const shows = await sql<SuspiciousGroup["shows"][number]>`
    select id, title, artist from shows
    where id = any (${findings.flatMap(({ showIds }) => showIds)})`.execute(db);
  const accounts = await sql<SuspiciousGroup["accounts"][number]>`
    select id, email, users.created_at as first_sign_in_at,
      (select count(*)::integer from present_reviews where user_id = id) as reviews
    from users where id = any (${findings.flatMap(({ userIds }) => userIds)}::uuid[])`.execute(db);
  const showOf = new Map(shows.rows.map((show) => [show.id, show]));
  const accountOf = new Map(accounts.rows.map((account) => [account.id, account]));
  return findings.map(({ showIds, userIds, ...finding }) => ({
    ...finding,
    shows: showIds.flatMap((id) => showOf.get(id) ?? []),
    accounts: userIds.flatMap((id) => accountOf.get(id) ?? []),
  }));
}

/**
 * Puts a user's reviews in quarantine or takes them out (docs/product.md §13.31). Triggers correct tallies,
 * order and notes, and keep later reviews in the same state. Null if there is no such user.
 */
export function setQuarantine(db: Db, id: string, quarantined: boolean) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return null;
    if (user.quarantined === quarantined) return { changed: false, reviews: 0 };
    await sql`update users set quarantined_at = case when ${quarantined} then now() end
      where id = ${id}`.execute(trx);
    const reviews = await setCounted(trx, id, !quarantined);
    await writeAudit(trx, quarantined ? "quarantine" : "unquarantine", { user_id: id, reviews });
    return { changed: true, reviews };
  });
}

export async function findQuarantined(db: Db) {
  const { rows } = await sql<{ id: string; email: string; quarantined_at: Date }>`
    select id, email, quarantined_at from users where quarantined_at is not null
    order by quarantined_at`.execute(db);
  return rows;
}
