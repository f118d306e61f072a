/** How often something happened in moderation in one year (UTC): what the terms tell (docs/product.md §13.24). */
export interface YearlyCounts {
  year: number;
  reports: number;
  kept: number;
  hidden: number;
  removed: number;
  banned: number;
  objections: number;
}
