import { z } from "zod";
import type { Contender } from "../load/compare.ts";

const page = z.object({ page: z.int(), total: z.int(), shows: z.array(z.object({ id: z.string() })) });

/** How many requests are looked at. */
const LOOKED_AT = 40;

/** Other requests than those that are measured. */
const SEED = 4;

/**
 * What answers something else than the product does less, or more: then nothing can be compared.
 * @throws Error naming the first request of their load which the two answer with other shows
 */
export async function requireAgreement(product: Contender, other: Contender): Promise<void> {
  const next = product.load.paths(SEED);
  for (let looked = 0; looked < LOOKED_AT; looked++) {
    const path = next();
    const [asked, told] = [await listAt(product, path), await listAt(other, path)];
    if (asked !== told) throw new Error(`${other.name} answers ${path} with ${told}, the product with ${asked}`);
  }
}

async function listAt({ target, load }: Contender, path: string): Promise<string> {
  const answer = await fetch(target.origin + path, { headers: load.headers });
  const { page: number, total, shows } = page.parse(await answer.json());
  return JSON.stringify([number, total, shows.map(({ id }) => id)]);
}
