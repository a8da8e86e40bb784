import { LoadContractError } from '../errors.js'
import type { Source } from '../source/source.js'
import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import { spellingOf } from './spelling.js'

/** What a load gave for one id: a row, null for none, or an error. */
export type Loaded<Row> = { readonly row: Row | null } | { readonly error: unknown }

/** What is asked of the source: an id, and what its row is known by. */
export interface Asked<Id> {
  readonly id: Id
  readonly rowId: RowId
}

/** Calls of the source beyond the first, at most: enough to find a dozen damaged ids among a thousand, or a dozen spellings of one. */
const extraCalls = (ids: number): number => 12 * Math.ceil(Math.log2(ids + 1))

/**
 * Loads ids in one call of the source. When that fails and one id may be the reason, halves are loaded apart, so that
 * a damaged row does not take its neighbours along; when the extra calls are used up, the rest fails as a whole.
 *
 * @returns an outcome for each id, in their order; never rejects
 */
export async function loadIsolating<Row, Id>(
  source: Source<Row, Id>,
  keys: KeySpace<Row, Id>,
  asked: readonly Asked<Id>[],
  name: string,
): Promise<readonly Loaded<Row>[]> {
  let callsLeft = extraCalls(asked.length)
  let succeeded = false
  let failedAlone = 0
  return loadHalving(asked)

  async function loadHalving(part: readonly Asked<Id>[]): Promise<readonly Loaded<Row>[]> {
    let rows: readonly Row[]
    try {
      rows = await source.load(part.map(({ id }) => id))
      succeeded = true
    } catch (error) {
      // Three ids that fail alone before anything was loaded: it is not the ids.
      if (part.length === 1 && ++failedAlone === 3 && !succeeded) callsLeft = 0
      if (part.length === 1 || callsLeft < 2 || !mayBlameOneId(error)) return part.map(() => ({ error }))
      callsLeft -= 2
      const middle = part.length >> 1
      // One after the other: the first half may use up what is left of the calls.
      const first = await loadHalving(part.slice(0, middle))
      return [...first, ...(await loadHalving(part.slice(middle)))]
    }
    try {
      return await match(rows, part)
    } catch (error) {
      return part.map(() => ({ error }))
    }
  }

  /** The source may be the application's own; what its judgement throws is no answer to who reads. */
  function mayBlameOneId(error: unknown): boolean {
    try {
      return source.mayBlameOneId(error)
    } catch {
      return false
    }
  }

  async function match(rows: readonly Row[], part: readonly Asked<Id>[]): Promise<readonly Loaded<Row>[]> {
    if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null)) {
      throw new LoadContractError(name, 'must give an array of rows, without those that do not exist.')
    }
    const wanted = new Set(part.map(({ rowId }) => rowId))
    const found = new Map<RowId, Loaded<Row>>()
    const strangers = new Map<RowId, Row>()
    for (const row of rows) {
      const rowId = keys.rowIdOf(row)
      const isTwice = found.has(rowId) || strangers.has(rowId)
      if (isTwice) found.set(rowId, { error: new LoadContractError(name, 'gave two rows for one id.') })
      else if (wanted.has(rowId)) found.set(rowId, { row })
      else strangers.set(rowId, row)
    }
    if (found.size < wanted.size) await matchSpellings(part, found, strangers)
    // Of what has no id at all that resembles one that was asked for.
    const absent =
      strangers.size > 0
        ? { error: new LoadContractError(name, 'gave a row of an id that was not asked for.') }
        : { row: null }
    return part.map(({ rowId }) => found.get(rowId) ?? absent)
  }

  /**
   * Finds the rows of ids that the database stores in another spelling: a UUID in capitals, text that is compared without case. A
   * row that was not asked for is that of the one id of its spelling. Where several ids of one spelling were asked for, one row may
   * be that of all, or of some: they are asked for apart.
   */
  async function matchSpellings(
    part: readonly Asked<Id>[],
    found: Map<RowId, Loaded<Row>>,
    strangers: Map<RowId, Row>,
  ): Promise<void> {
    // A row that was not asked for shows that ids are compared in some other way than was thought.
    const isSuspect = ({ id, rowId }: Asked<Id>): boolean =>
      typeof rowId === 'string' && !found.has(rowId) && (strangers.size > 0 || !source.isCanonical?.(id))
    const suspects = Map.groupBy(part.filter(isSuspect), ({ rowId }) => spellingOf(rowId))
    if (suspects.size === 0) return
    const spellings = (rowIds: Iterable<RowId>): Map<string, RowId[]> => Map.groupBy(rowIds, spellingOf)
    const known = spellings(found.keys())
    const strange = spellings(strangers.keys())
    let apart: Asked<Id>[] = []
    for (const [spelling, asked] of suspects) {
      const [first, ...others] = strange.get(spelling) ?? []
      if (first === undefined && !known.has(spelling)) continue
      if (first !== undefined && others.length === 0 && asked.length === 1 && !known.has(spelling)) {
        found.set(asked[0]!.rowId, { row: strangers.get(first)! })
      } else apart.push(...asked)
      for (const rowId of strange.get(spelling) ?? []) strangers.delete(rowId)
    }
    // Those of different spellings together.
    while (apart.length > 0) {
      const round = [...new Map(apart.map((asked) => [spellingOf(asked.rowId), asked])).values()]
      apart = apart.filter((asked) => !round.includes(asked))
      const outcomes = await loadApart(round)
      for (const [i, outcome] of outcomes.entries()) found.set(round[i]!.rowId, outcome)
    }
  }

  async function loadApart(part: readonly Asked<Id>[]): Promise<readonly Loaded<Row>[]> {
    if (callsLeft-- > 0) return loadHalving(part)
    const error = new LoadContractError(name, 'was asked for too many spellings of one id at once.')
    return part.map(() => ({ error }))
  }
}
