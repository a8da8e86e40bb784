/** Maximum parameters per statement: PostgreSQL's protocol counts them in 16 bits, Prisma in 15. */
const maxParameters = 32_767
/** Prisma takes a list of single ids as one value, but compiles a condition for each compound id, in one event-loop turn. */
const maxSingleIds = 5_000
const maxCompoundIds = 250

/** The maximum number of ids per query, for ids of so many fields. */
export function maxIdsOf(fields: number): number {
  const most = fields === 1 ? maxSingleIds : maxCompoundIds
  return Math.min(most, Math.floor(maxParameters / fields))
}
