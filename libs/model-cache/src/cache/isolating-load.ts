import { LoadContractError } from '../errors.js'
import type { Source } from '../source/source.js'
import type { KeySpace } from './key-space.js'

/** What a load gave for one key: a row, null for none, or an error. */
export type Loaded<Row> = { readonly row: Row | null } | { readonly error: unknown }

/**
 * Loads ids in one call of the source. When that fails and one id may be the reason, halves are loaded apart, so that
 * one damaged row does not take its neighbours along; the number of extra calls grows with the logarithm of the ids.
 *
 * @returns an outcome for each id, in their order; never rejects
 */
export async function loadIsolating<Row, Id>(
  source: Source<Row, Id>,
  keys: KeySpace<Row, Id>,
  ids: readonly Id[],
  name: string,
): Promise<readonly Loaded<Row>[]> {
  const budget = { calls: 2 * Math.ceil(Math.log2(ids.length + 1)) }
  return loadHalving(ids)

  async function loadHalving(part: readonly Id[]): Promise<readonly Loaded<Row>[]> {
    try {
      return match(await source.load(part), part)
    } catch (error) {
      if (part.length === 1 || budget.calls < 2 || !source.mayBlameOneId(error))
        return part.map(() => ({ error }))
      budget.calls -= 2
      const middle = part.length >> 1
      // One after the other: the first half may use up what is left of the budget.
      const first = await loadHalving(part.slice(0, middle))
      return [...first, ...(await loadHalving(part.slice(middle)))]
    }
  }

  function match(rows: readonly Row[], part: readonly Id[]): readonly Loaded<Row>[] {
    if (!Array.isArray(rows)) {
      return part.map(() => ({ error: new LoadContractError(name, 'must give an array of rows.') }))
    }
    const byKey = new Map<string, Loaded<Row>>()
    for (const row of rows) {
      const key = keys.keyOfRow(row)
      const twice = byKey.has(key)
      byKey.set(key, twice ? { error: new LoadContractError(name, 'gave two rows for one id.') } : { row })
    }
    return part.map((id) => byKey.get(keys.keyOf(id)) ?? { row: null })
  }
}
