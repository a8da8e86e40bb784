/** Maximum parameters per statement: PostgreSQL's protocol counts them in 16 bits, Prisma in 15. */
const maxParameters = 32_767
/** Prisma takes a list of single ids as one value, but compiles a condition for each compound id, in one event-loop turn. */
const maxSingleIds = 5_000
const maxCompoundIds = 250

/** Parameters per statement from which Prisma divides a query, or refuses it. */
const limits: ReadonlyMap<string, number> = new Map([
  ['sqlite', 999],
  ['sqlserver', 2_098],
  ['mysql', 65_535],
])
const postgresLimit = 32_766
/** Parameters that are left for others than ids, such as those of `take` and `skip`. */
const spareParameters = 16

/** The maximum number of ids, of so many fields, that Prisma certainly reads with one statement. */
export function maxIdsPerStatement(provider: string, fields: number): number {
  return Math.floor(((limits.get(provider) ?? postgresLimit) - spareParameters) / fields)
}

/** The maximum number of ids per query, for ids of so many fields. */
export function maxIdsOf(fields: number): number {
  const most = fields === 1 ? maxSingleIds : maxCompoundIds
  return Math.min(most, Math.floor(maxParameters / fields))
}
