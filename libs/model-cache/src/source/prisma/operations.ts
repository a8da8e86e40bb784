/** Operations that return rows. */
export const findActions: ReadonlySet<string> = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
])

/** Operations that a cache may answer. */
export const answerableActions: ReadonlySet<string> = new Set([...findActions, 'count'])

/** Operations that read rows in other ways. */
const otherReads: ReadonlySet<string> = new Set(['aggregate', 'groupBy', 'findRaw', 'aggregateRaw'])

/** Whether an operation reads rows of a model. One that this version of the library does not know counts as a write. */
export function isRead(action: string): boolean {
  return answerableActions.has(action) || otherReads.has(action)
}
