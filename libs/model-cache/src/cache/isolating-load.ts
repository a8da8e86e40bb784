import { LoadContractError } from '../errors.js'
import type { Source } from '../source/source.js'
import type { Identity } from '../consistency/identity.js'
import type { KeySpace } from '../consistency/key-space.js'
import { spellingOf } from './spelling.js'

/** What a load gave for one id: a row, null for none, or an error. */
export type Loaded<Row> = { readonly row: Row | null } | { readonly error: unknown }

/** What is asked of the source: an id, and what its row is known by. */
export interface Asked<Id> {
  readonly id: Id
  readonly identity: Identity
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
    const wanted = new Set(part.map(({ identity }) => identity))
    const found = new Map<Identity, Loaded<Row>>()
    const strangers = new Map<Identity, Row>()
    for (const row of rows) {
      const identity = keys.identityOfRow(row)
      const isTwice = found.has(identity) || strangers.has(identity)
      if (isTwice) found.set(identity, { error: new LoadContractError(name, 'gave two rows for one id.') })
      else if (wanted.has(identity)) found.set(identity, { row })
      else strangers.set(identity, row)
    }
    if (found.size < wanted.size) await matchSpellings(part, found, strangers)
    // Of what has no id at all that resembles one that was asked for.
    const absent =
      strangers.size > 0
        ? { error: new LoadContractError(name, 'gave a row of an id that was not asked for.') }
        : { row: null }
    return part.map(({ identity }) => found.get(identity) ?? absent)
  }

  /**
   * Finds the rows of ids that the database stores in another spelling: a UUID in capitals, text that is compared without case. A
   * row that was not asked for is that of the one id of its spelling. Where several ids of one spelling were asked for, one row may
   * be that of all, or of some: they are asked for apart.
   */
  async function matchSpellings(
    part: readonly Asked<Id>[],
    found: Map<Identity, Loaded<Row>>,
    strangers: Map<Identity, Row>,
  ): Promise<void> {
    // A row that was not asked for shows that ids are compared in some other way than was thought.
    const isSuspect = ({ id, identity }: Asked<Id>): boolean =>
      typeof identity === 'string' &&
      !found.has(identity) &&
      (strangers.size > 0 || !source.isCanonical?.(id))
    const suspects = Map.groupBy(part.filter(isSuspect), ({ identity }) => spellingOf(identity))
    if (suspects.size === 0) return
    const spellings = (identities: Iterable<Identity>): Map<string, Identity[]> =>
      Map.groupBy(identities, spellingOf)
    const known = spellings(found.keys())
    const strange = spellings(strangers.keys())
    let apart: Asked<Id>[] = []
    for (const [spelling, asked] of suspects) {
      const [first, ...others] = strange.get(spelling) ?? []
      if (first === undefined && !known.has(spelling)) continue
      if (first !== undefined && others.length === 0 && asked.length === 1 && !known.has(spelling)) {
        found.set(asked[0]!.identity, { row: strangers.get(first)! })
      } else apart.push(...asked)
      for (const identity of strange.get(spelling) ?? []) strangers.delete(identity)
    }
    // Those of different spellings together.
    while (apart.length > 0) {
      const round = [...new Map(apart.map((asked) => [spellingOf(asked.identity), asked])).values()]
      apart = apart.filter((asked) => !round.includes(asked))
      const outcomes = await loadApart(round)
      for (const [i, outcome] of outcomes.entries()) found.set(round[i]!.identity, outcome)
    }
  }

  async function loadApart(part: readonly Asked<Id>[]): Promise<readonly Loaded<Row>[]> {
    if (callsLeft-- > 0) return loadHalving(part)
    const error = new LoadContractError(name, 'was asked for too many spellings of one id at once.')
    return part.map(() => ({ error }))
  }
}
