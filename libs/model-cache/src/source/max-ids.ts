/** Parameters of one statement that PostgreSQL takes: its protocol counts them in 16 bits, Prisma in 15. */
const maxParameters = 32_767

/** How many ids of so many fields fit into one query. */
export function maxIdsOf(fields: number): number {
  return Math.min(5_000, Math.floor(maxParameters / fields))
}
