import type { ModelContext } from '../context.js'
import type { Load } from './load.js'
import { loadRows, type Loaded } from './load-rows.js'

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
