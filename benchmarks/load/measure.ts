import { requireAgreement } from "../comparisons/agree.ts";
import {
  type RecordedServer,
  startBareServer,
  startGoodSql,
  startHonoText,
  startSnapshot,
  startSpecification,
} from "../comparisons/start.ts";
import { type Comparison, type Contender, compare, type Effort } from "./compare.ts";
import { type HalfLoad, measureAtHalf } from "./half-load.ts";
import { type Load, prepareLoads } from "./loads.ts";
import { readProgramme } from "./programme.ts";
import { recordAnswers } from "./recorded-answer.ts";
import { startAsker } from "./start-asker.ts";
import type { Target } from "./target.ts";
import { compareViews } from "./views.ts";

export interface UnderLoad {
  /** How many shows are listed, and how many reviews they have. */
  shows: number;
  reviews: number;
  comparisons: Comparison[];
  halfLoads: HalfLoad[];
  /** Requests of what makes up a view of the page, against the specification's own way. */
  views: Comparison;
}

/** What the product is held against, by the names that reports use. */
export const rivals = { limit: "limit", honoText: "Hono, kept texts", snapshot: "snapshot", goodSql: "good SQL" };

/** How many of the product's answers a server is given to repeat. */
const RECORDED = 100;

/** The same where answers are kept: enough for nearly each of them to be there before it is measured. */
const RECORDED_KEPT = 1_000;

/** Every load, one after the other; each result is told as it comes. */
export async function measureUnderLoad(
  product: Target,
  databaseUrl: string,
  effort: Effort,
  running: AsyncDisposableStack,
  tell: (result: Comparison | HalfLoad) => void,
): Promise<UnderLoad> {
  const bare = await startBareServer(running);
  const honoText = await startHonoText(running);
  const snapshot = await startSnapshot(databaseUrl, running);
  const goodSql = await startGoodSql(databaseUrl, running);
  const specification = await startSpecification(databaseUrl, running);
  const askSteadily = startAsker(running);
  const programme = await readProgramme(product.origin);
  const { shows, reviews } = programme;

  async function measureLoad(load: Load): Promise<Comparison> {
    const own = { name: "product", target: product, load };
    const others: Contender[] = [{ name: rivals.limit, target: bare, load }];
    await record(product, load, load.against ? [bare, honoText] : [bare]);
    if (load.against) {
      const answering = [
        { name: rivals.snapshot, target: snapshot, load },
        { name: rivals.goodSql, target: goodSql, load },
      ];
      for (const other of answering) await requireAgreement(own, other);
      others.push({ name: rivals.honoText, target: honoText, load }, ...answering);
    }
    return compare(own, others, effort);
  }

  const comparisons: Comparison[] = [];
  const halfLoads: HalfLoad[] = [];
  for (const load of await prepareLoads(product.origin, programme)) {
    const comparison = await measureLoad(load);
    comparisons.push(comparison);
    tell(comparison);
    if (!load.atHalf) continue;
    const { requestsPerSecond } = comparison.product;
    const halfLoad = await measureAtHalf(askSteadily, product, bare, load, requestsPerSecond, effort);
    halfLoads.push(halfLoad);
    tell(halfLoad);
  }
  const views = await compareViews(product, specification, programme, effort);
  tell(views);
  return { shows, reviews, comparisons, halfLoads, views };
}

async function record(product: Target, load: Load, servers: readonly RecordedServer[]): Promise<void> {
  const answers = await recordAnswers(product.origin, load, load.kept ? RECORDED_KEPT : RECORDED);
  for (const server of servers) await server.answerWith(answers);
}
