import type { ModelCache } from 'model-cache'

/** Returns the rows of a cached list of ids, without those that were deleted after the list was cached. */
export async function rowsOfIds<Row, Id>(
  cache: ModelCache<Row, Id>,
  list: readonly { readonly id: Id }[] = [],
): Promise<Row[]> {
  const rows = await cache.getMany(list.map(({ id }) => id))
  return rows.filter((row) => row !== null)
}
