import { randomBytes } from 'node:crypto'
import { undecodable } from '../../codec/codec.js'
import { emptySnapshot, type KeySpace, type RegisterSnapshot, type RowId } from '../../protocol/index.js'
import { AtRestStore } from '../at-rest-store.js'
import type { CacheContext, RowCodec, Runtime } from '../context.js'
import { createTelemetry, observerOf } from '../create-telemetry.js'
import type { WriteSide } from '../create-write-side.js'
import { Filler } from '../load/filler.js'
import { createLoadPermits } from '../load/load-permits.js'
import { createNotFoundBudgets } from '../load/not-found-budget.js'
import { mappedRegister, ofExistence } from '../mapped-register.js'
import { Delivery } from '../read/delivery.js'
import { ReadCollector } from '../read/read-collector.js'
import { ReadPath } from '../read/read-path.js'
import { History } from '../telemetry/history.js'
import { LargePayloads } from '../telemetry/large-payloads.js'
import { silentObserver } from '../telemetry/observer.js'
import { createResultRegister, type ResultCoherence, type ResultRegisterOptions } from './result-register.js'

export interface ResultScopeOptions extends ResultRegisterOptions {
  readonly runtime: Pick<Runtime, 'tick' | 'slicer' | 'pressure' | 'inFlight'>
}

/** What shows the writes to the rows of a model by their values of one field, for results that read the rows of one value only. */
export interface ResultScope extends WriteSide {
  readonly name: string
  /**
   * What tells whether a result counts that reads the rows with a value.
   *
   * @throws InvalidIdError
   */
  coherenceOf(this: void, value: unknown): ResultCoherence
  /** The same text for equal values; undefined for a value that no row has. */
  textOf(this: void, value: unknown): string | undefined
}

/** Stands for the rows of one value until one of them is written, or a row is given the value. */
interface Marker {
  readonly rowId: RowId
  /** Never the same twice. */
  readonly epoch: string
}

/**
 * Lists a cache whose rows have the field as their id. Its only content are markers: what is stored for a value is a random epoch, and ends
 * as a row does with that id. So a write to one of the rows ends it before it commits, and a new one is stored only where no write is running.
 * New rows whose values are unknown end all of them.
 */
export function createResultScope(options: ResultScopeOptions): ResultScope {
  const created = createResultRegister(options)
  const { codec, form, settings, telemetry } = options
  const { name, policy } = created
  const coherence = ofExistence(created.coherence)
  const rowKeys = created.keysOf(codec.fingerprint) as unknown as KeySpace<Marker, unknown>
  const keys: KeySpace<Marker, unknown> = {
    ...rowKeys,
    rowIdOf: ({ rowId }) => rowId,
    isRow: (marker, rowId) => String(marker.rowId) === String(rowId),
  }
  const observer = observerOf(silentObserver, telemetry.log, name)
  const { log } = telemetry
  const { slicer } = options.runtime
  const store = form
    ? new AtRestStore({ name, store: options.store, form, slicer, observer, log })
    : options.store
  const newMarker = (id: unknown): Marker => ({
    rowId: keys.toRowId(id),
    epoch: randomBytes(9).toString('base64url'),
  })
  const permits = createLoadPermits().ofCache()
  const context: CacheContext<Marker, unknown> = {
    ...createTelemetry<Marker, unknown>({
      model: {
        name,
        codec: markerCodec(codec.fingerprint),
        keys,
        store,
        isEncrypted: form?.described.isEncrypted,
        source: { load: (ids) => Promise.resolve(ids.map(newMarker)), mayBlameOneId: () => false },
      },
      observer,
      history: new History(),
      largePayloads: new LargePayloads(name, Infinity, observer, telemetry.log),
      log: telemetry.log,
      permits,
      audit: { ...settings.audit, rate: 0 },
    }),
    policy,
    runtime: {
      ...options.runtime,
      permits,
      notFound: createNotFoundBudgets(settings.maxNotFoundBytes, policy),
    },
    coherence,
  }
  const path = new ReadPath(context, undefined, new Filler(context), () => new Delivery(context))
  const markers = new ReadCollector(context, path)
  return {
    ...created,
    textOf(value) {
      try {
        return String(keys.toRowId(value))
      } catch {
        return undefined
      }
    },
    coherenceOf: (value) => coherenceIn(coherence, keys.toRowId(value), () => markers.get(value)),
  }
}

/** As that of the whole model, for the rows of one value. */
function coherenceIn(
  { clock, pending, register, ...others }: ResultCoherence,
  rowId: RowId,
  marker: () => Promise<Marker | null>,
): ResultCoherence {
  // What is loaded after this is stored under a marker that was there before the load. Both are read in one tick.
  const ofMarker = async (reading: Promise<RegisterSnapshot>): Promise<RegisterSnapshot> => {
    const [snapshot, found] = await Promise.all([reading, marker()])
    if (snapshot.epoch === null) return snapshot
    const { epoch } = found!
    return { ...snapshot, epoch, existence: epoch }
  }
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
    register: mappedRegister(register, ofMarker, async () => emptySnapshot),
  }
}

function markerCodec(fingerprint: string): RowCodec<Marker> {
  const itself = (marker: Marker): Marker => marker
  return {
    fingerprint,
    encode: (marker) => JSON.stringify([String(marker!.rowId), marker!.epoch]),
    decodeUtf8(bytes, start = 0) {
      try {
        const [rowId, epoch] = JSON.parse(bytes.toString('utf8', start)) as unknown[]
        return typeof rowId === 'string' && typeof epoch === 'string' ? { rowId, epoch } : undecodable
      } catch {
        return undecodable
      }
    },
    clone: itself,
    cloneMany: (marker, count) => Array.from({ length: count }, () => marker),
    freeze: itself,
    normalize: itself,
  }
}
