import type { RowId } from '../../protocol/index.js'
import { LoadContractError } from '../../errors.js'
import type { ModelContext } from '../context.js'
import { collationFormOf } from './collation-form.js'
import type { Load } from './load.js'

/** The outcome of one id: a row, null for none, or an error. */
export type Loaded<Row> = { readonly row: Row | null } | { readonly error: unknown }

/** An id as the caller gave it, and the row id that it stands for. */
export interface Requested<Id> {
  readonly id: Id
  readonly rowId: RowId
}

/** Further calls of the source, at most: enough to find a dozen damaged ids, or a dozen spellings of one, among a thousand. */
const extraCalls = (ids: number): number => 12 * Math.ceil(Math.log2(ids + 1))

/**
 * Loads ids in one call of the source. If the call fails and one id may be the cause, halves are loaded apart, so that a
 * damaged row does not fail its neighbours. When the extra calls are used up, the rest fails as a whole.
 *
 * @param isWanted whether anybody still waits for the rows; without it no further call is made
 * @param client to load through. @default the source's own
 * @returns an outcome for each id, in their order; never rejects
 */
export async function loadRows<Row, Id>(
  { name, keys, source }: Pick<ModelContext<Row, Id>, 'name' | 'keys' | 'source'>,
  requested: readonly Requested<Id>[],
  isWanted: () => boolean = () => true,
  client?: object,
): Promise<readonly Loaded<Row>[]> {
  let callsLeft = extraCalls(requested.length)
  let hasSucceeded = false
  let failedAlone = 0
  return loadHalving(requested)

  async function loadHalving(part: readonly Requested<Id>[]): Promise<readonly Loaded<Row>[]> {
    let rows: readonly Row[]
    try {
      rows = await source.load(
        part.map(({ id }) => id),
        client,
      )
      hasSucceeded = true
    } catch (error) {
      // Three ids that fail alone before any call has succeeded: the ids are not the cause.
      if (part.length === 1 && ++failedAlone === 3 && !hasSucceeded) callsLeft = 0
      if (part.length === 1 || callsLeft < 2 || !isWanted() || !mayBlameOneId(error))
        return part.map(() => ({ error }))
      callsLeft -= 2
      const middle = part.length >> 1
      // In sequence: the first half may use up the calls that are left.
      const first = await loadHalving(part.slice(0, middle))
      return [...first, ...(await loadHalving(part.slice(middle)))]
    }
    try {
      return await match(rows, part)
    } catch (error) {
      return part.map(() => ({ error }))
    }
  }

  /** The source may be the application's own. An error that it throws here must not replace the one it judges. */
  function mayBlameOneId(error: unknown): boolean {
    try {
      return source.mayBlameOneId(error)
    } catch {
      return false
    }
  }

  async function match(
    rows: readonly Row[],
    part: readonly Requested<Id>[],
  ): Promise<readonly Loaded<Row>[]> {
    if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null)) {
      throw new LoadContractError(name, 'must give an array of rows, without those that do not exist.')
    }
    const wanted = new Set<RowId>()
    for (const { rowId } of part) wanted.add(rowId)
    const found = new Map<RowId, Loaded<Row>>()
    const unrequested = new Map<RowId, Row>()
    for (const row of rows) {
      const rowId = keys.rowIdOf(row)
      const isTwice = found.has(rowId) || unrequested.has(rowId)
      if (isTwice) found.set(rowId, { error: new LoadContractError(name, 'gave two rows for one id.') })
      else if (wanted.has(rowId)) found.set(rowId, { row })
      else unrequested.set(rowId, row)
    }
    if (found.size < wanted.size) await matchForms(part, found, unrequested)
    // A row that is left resembles no id of the call, so the others cannot be trusted to be missing.
    const notFound =
      unrequested.size > 0
        ? { error: new LoadContractError(name, 'gave a row of an id that was not requested.') }
        : { row: null }
    return part.map(({ rowId }) => found.get(rowId) ?? notFound)
  }

  /**
   * Finds the rows of ids that the database stores in another spelling: a UUID in capitals, text compared without case. An
   * unrequested row belongs to the one id of its collation form. Where several ids of one form were requested, one row may belong to
   * all or to some of them, so they are loaded apart.
   */
  async function matchForms(
    part: readonly Requested<Id>[],
    found: Map<RowId, Loaded<Row>>,
    unrequested: Map<RowId, Row>,
  ): Promise<void> {
    // An unrequested row shows that ids are compared in another way than expected.
    const isSuspect = ({ id, rowId }: Requested<Id>): boolean =>
      typeof rowId === 'string' && !found.has(rowId) && (unrequested.size > 0 || !source.isCanonical?.(id))
    const suspects = Map.groupBy(part.filter(isSuspect), ({ rowId }) => collationFormOf(rowId))
    if (suspects.size === 0) return
    const byForm = (rowIds: Iterable<RowId>): Map<string, RowId[]> => Map.groupBy(rowIds, collationFormOf)
    const known = byForm(found.keys())
    const unknown = byForm(unrequested.keys())
    let apart: Requested<Id>[] = []
    for (const [form, ids] of suspects) {
      const resembling = unknown.get(form) ?? []
      if (resembling.length === 0 && !known.has(form)) continue
      if (resembling.length === 1 && ids.length === 1 && !known.has(form)) {
        found.set(ids[0]!.rowId, { row: unrequested.get(resembling[0]!)! })
      } else apart.push(...ids)
      for (const rowId of resembling) unrequested.delete(rowId)
    }
    // One id of each form to a call.
    while (apart.length > 0) {
      const round = [...new Map(apart.map((id) => [collationFormOf(id.rowId), id])).values()]
      apart = apart.filter((id) => !round.includes(id))
      const outcomes = await loadApart(round)
      for (const [i, outcome] of outcomes.entries()) found.set(round[i]!.rowId, outcome)
    }
  }

  async function loadApart(part: readonly Requested<Id>[]): Promise<readonly Loaded<Row>[]> {
    if (isWanted() && callsLeft-- > 0) return loadHalving(part)
    const error = new LoadContractError(name, 'was called with too many spellings of one id at once.')
    return part.map(() => ({ error }))
  }
}

/**
 * Loads rows where they are current. A source that reads from a standby lacks what this region has written until it is replayed: until then
 * the rows are fenced, so that a load gets no lease. What gets none is loaded from the primary, and not stored.
 *
 * @returns an outcome for each load, in their order; never rejects
 */
export async function loadByLease<Row, Id>(
  model: Pick<ModelContext<Row, Id>, 'name' | 'keys' | 'source'>,
  loads: readonly Load<Row, Id>[],
  isWanted: () => boolean,
): Promise<readonly Loaded<Row>[]> {
  const { primary } = model.source
  const read = (part: readonly Load<Row, Id>[], client?: object): Promise<readonly Loaded<Row>[]> =>
    part.length === 0
      ? none
      : loadRows(
          model,
          part.map((load) => load.read),
          isWanted,
          client,
        )
  if (!primary) return read(loads)
  const leased = loads.filter(({ token }) => token !== null)
  const others = loads.filter(({ token }) => token === null)
  const [ofStandby, ofPrimary] = await Promise.all([read(leased), read(others, primary)])
  const outcomes = new Map<Load<Row, Id>, Loaded<Row>>()
  for (const [i, load] of leased.entries()) outcomes.set(load, ofStandby[i]!)
  for (const [i, load] of others.entries()) outcomes.set(load, ofPrimary[i]!)
  // While rows are being created whose ids are unknown, the standby may lack one of these.
  const missing = leased.filter(
    (load) => load.read.epochs.existence === null && isMissing(outcomes.get(load)!),
  )
  for (const [i, outcome] of (await read(missing, primary)).entries()) outcomes.set(missing[i]!, outcome)
  return loads.map((load) => outcomes.get(load)!)
}

const none: Promise<readonly never[]> = Promise.resolve([])

function isMissing<Row>(outcome: Loaded<Row>): boolean {
  return 'row' in outcome && outcome.row === null
}
