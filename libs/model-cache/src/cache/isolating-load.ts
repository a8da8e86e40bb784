import { LoadContractError } from '../errors.js'
import type { Source } from '../source/source.js'
import type { Identity } from '../consistency/identity.js'
import type { KeySpace } from '../consistency/key-space.js'

/** What a load gave for one id: a row, null for none, or an error. */
export type Loaded<Row> = { readonly row: Row | null } | { readonly error: unknown }

/** What is asked of the source: an id, and what its row is known by. */
export interface Asked<Id> {
  readonly id: Id
  readonly identity: Identity
}

/** Calls of the source beyond the first, at most: enough to find a dozen damaged ids among a thousand. */
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
      return match(rows, part)
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

  function match(rows: readonly Row[], part: readonly Asked<Id>[]): readonly Loaded<Row>[] {
    if (!Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null)) {
      throw new LoadContractError(name, 'must give an array of rows, without those that do not exist.')
    }
    const wanted = new Set(part.map(({ identity }) => identity))
    const found = new Map<Identity, Loaded<Row>>()
    let isStranger = false
    for (const row of rows) {
      const identity = keys.identityOfRow(row)
      if (!wanted.has(identity)) isStranger = true
      const isTwice = found.has(identity)
      found.set(
        identity,
        isTwice ? { error: new LoadContractError(name, 'gave two rows for one id.') } : { row },
      )
    }
    // A database that takes `A` and `a` for one id gives a row under another id than was asked for. That is no absence.
    const absent = isStranger
      ? {
          error: new LoadContractError(
            name,
            'gave a row of an id that was not asked for; ask for ids as they are stored.',
          ),
        }
      : { row: null }
    return part.map(({ identity }) => found.get(identity) ?? absent)
  }
}
