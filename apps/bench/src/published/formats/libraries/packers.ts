import * as cbor from 'cbor-x'
import * as msgpackr from 'msgpackr'
import { asList, asRows, mapBack, remap, ROOM_FOR_LIST, type Format, type MappedTrip } from '../format.ts'
import type { Trip } from '../trip.ts'

/** What msgpackr and cbor-x have in common. */
interface Packer {
  encode(value: unknown): Buffer
  decode(bytes: Uint8Array): unknown
  /** Documented, but not in the types of cbor-x. */
  useBuffer?(buffer: Uint8Array): void
}

function packerFormat(name: string, untuned: Packer, createPacker: () => Packer, isNative: boolean): Format {
  return {
    name,
    create: {
      untuned: () =>
        asList({
          encode: (trips) => untuned.encode({ trips: trips.map(remap) }),
          decode: (bytes) => (untuned.decode(bytes) as { trips: MappedTrip[] }).trips.map(mapBack),
        }),
      tuned: () => {
        const packer = createPacker()
        const room = Buffer.alloc(ROOM_FOR_LIST)
        return asList({
          encode(trips) {
            packer.useBuffer!(room)
            return packer.encode({ trips })
          },
          decode: (bytes) => (packer.decode(bytes) as { trips: Trip[] }).trips,
        })
      },
      rows: () => {
        const packer = createPacker()
        return asRows({
          encode: (trip) => packer.encode(trip),
          decode: (bytes) => packer.decode(bytes) as Trip,
        })
      },
    },
    note:
      'tuned: shared structures, which are kept apart and not counted, a buffer of ours, and its own form of dates; ' +
      `${isNative ? 'with' : 'without'} its native reader of strings`,
  }
}

export const msgpackrFormat = packerFormat(
  'msgpackr',
  { encode: msgpackr.encode, decode: msgpackr.decode },
  () => new msgpackr.Packr({ structures: [] }),
  msgpackr.isNativeAccelerationEnabled,
)

export const cborFormat = packerFormat(
  'cbor-x',
  { encode: cbor.encode, decode: cbor.decode },
  () => new cbor.Encoder({ structures: [] }),
  cbor.isNativeAccelerationEnabled,
)
