import { isNativeAccelerationEnabled, pack, Packr, unpack } from 'msgpackr'
import { asList, asRows, ROOM_FOR_LIST, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { mapBack, remap, type MappedTrip } from './mapped-trip.ts'

export const msgpackrFormat: Format = {
  name: 'msgpackr',
  create: {
    untuned: () =>
      asList({
        encode: (trips) => pack({ trips: trips.map(remap) }),
        decode: (bytes) => (unpack(bytes) as { trips: MappedTrip[] }).trips.map(mapBack),
      }),
    tuned: () => {
      const packr = new Packr({ structures: [] })
      const room = Buffer.alloc(ROOM_FOR_LIST)
      return asList({
        encode(trips) {
          packr.useBuffer(room)
          return packr.pack({ trips })
        },
        decode: (bytes) => (packr.unpack(bytes) as { trips: Trip[] }).trips,
      })
    },
    rows: () => {
      const packr = new Packr({ structures: [] })
      return asRows({ encode: (trip) => packr.pack(trip), decode: (bytes) => packr.unpack(bytes) as Trip })
    },
  },
  note:
    'tuned: shared structures, which are kept apart and not counted, into a buffer of ours, with its own form of dates; ' +
    `${isNativeAccelerationEnabled ? 'with' : 'without'} its native reader of strings`,
}
