import type { UnderLoad } from "./measure.ts";

/** More refusals than this part of the requests, and the rest tells too little. */
const MOST_REFUSED = 0.05;

/** The loads of which the product refused so much that their figures mean nothing, each with how much. */
export function spoiledLoads({ comparisons, halfLoads }: UnderLoad): string[] {
  const parts = [
    ...comparisons.map(({ name, product }) => ({ name, refused: product.refused })),
    ...halfLoads.map(({ name, refused }) => ({ name: `${name}, half load`, refused })),
  ];
  return parts
    .filter(({ refused }) => !(refused <= MOST_REFUSED))
    .map(({ name, refused }) => `${name}: ${(refused * 100).toFixed(0)} % were refused`);
}
