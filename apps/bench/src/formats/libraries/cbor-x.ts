import { decode, encode, Encoder, isNativeAccelerationEnabled } from 'cbor-x'
import { asList, asRows, ROOM_FOR_LIST, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { mapBack, remap, type MappedTrip } from './mapped-trip.ts'

export const cborFormat: Format = {
  name: 'cbor-x',
  create: {
    untuned: () =>
      asList({
        encode: (trips) => encode({ trips: trips.map(remap) }),
        decode: (bytes) => (decode(bytes) as { trips: MappedTrip[] }).trips.map(mapBack),
      }),
    tuned: () => {
      // `useBuffer` is documented but not in its types.
      const encoder = new Encoder({ structures: [] }) as Encoder & { useBuffer(buffer: Uint8Array): void }
      const room = Buffer.alloc(ROOM_FOR_LIST)
      return asList({
        encode(trips) {
          encoder.useBuffer(room)
          return encoder.encode({ trips })
        },
        decode: (bytes) => (encoder.decode(bytes) as { trips: Trip[] }).trips,
      })
    },
    rows: () => {
      const encoder = new Encoder({ structures: [] })
      return asRows({
        encode: (trip) => encoder.encode(trip),
        decode: (bytes) => encoder.decode(bytes) as Trip,
      })
    },
  },
  note:
    'tuned: shared structures, which are kept apart and not counted, into a buffer of ours, with its own form of dates; ' +
    `${isNativeAccelerationEnabled ? 'with' : 'without'} its native reader of strings`,
}
