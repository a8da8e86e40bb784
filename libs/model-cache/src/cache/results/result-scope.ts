import { emptySnapshot, isLong, type RowId } from '../../protocol/index.js'
import type { WriteSide } from '../create-write-side.js'
import { mappedRegister } from '../mapped-register.js'
import { Markers, type SnapshotOfValue } from './markers.js'
import { createResultRegister, type ResultCoherence, type ResultRegisterOptions } from './result-register.js'

/** What shows the writes to the rows of a model by their values of one field, for results that read the rows of one value only. */
export interface ResultScope extends WriteSide {
  readonly name: string
  /**
   * What tells whether a result counts that reads the rows with a value.
   *
   * @throws InvalidIdError
   */
  coherenceOf(this: void, value: unknown): ResultCoherence
  /** Returns the same text for equal values; undefined for a value that no row has, or that is too long for a marker. */
  textOf(this: void, value: unknown): string | undefined
}

/**
 * Lists a cache whose rows have the field as their id. Its only content are markers: a marker ends as a row does with the value as its id.
 * So a write to one of the rows ends it before it commits, and a new one is stored only where no write is running. New rows whose values
 * are unknown end all of them.
 */
export function createResultScope(options: ResultRegisterOptions): ResultScope {
  const created = createResultRegister(options)
  const { codec, lifeMs, store } = options
  const { coherence } = created
  const keys = created.keysOf(codec.fingerprint)
  const toRowId = keys.toRowId as (value: unknown) => RowId
  const markers = new Markers({ store, fingerprint: codec.fingerprint, ttlMs: lifeMs })
  return {
    ...created,
    textOf(value) {
      try {
        const rowId = toRowId(value)
        return isLong(rowId) ? undefined : String(rowId)
      } catch {
        return undefined
      }
    },
    coherenceOf(value) {
      const rowId = toRowId(value)
      // A write of this process whose fence has not reached the store may commit.
      const mayStore = (): boolean => !coherence.pending.has(rowId)
      return coherenceIn(coherence, rowId, markers.readerOf(keys.keyOf(rowId), mayStore))
    },
  }
}

/** Returns the coherence of the rows of one value, as there is one of the whole model. */
function coherenceIn(
  { clock, pending, register, ...others }: ResultCoherence,
  rowId: RowId,
  read: SnapshotOfValue,
): ResultCoherence {
  return {
    ...others,
    clock: {
      now: () => clock.now(),
      isCurrent: (_, since) => clock.isCurrent(rowId, since),
      isHeld: (_, since) => clock.isHeld(rowId, since),
    },
    pending: {
      get isEmpty() {
        return !pending.has(rowId)
      },
      get size() {
        return pending.has(rowId) ? 'all' : 0
      },
      has: () => pending.has(rowId),
    },
    // A marker says nothing of what was read before it.
    register: mappedRegister(register, read, async () => emptySnapshot),
  }
}
