import { PbfReader, PbfWriter } from 'pbf'
import { compile } from 'pbf/compile'
import { asList, asRows, ROOM_FOR_LIST, ROOM_FOR_ROW, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { oneofOf, TRIPS_TAG, tripFields } from './trip-fields.ts'
import { memberOf, rideableOf, toWire, type WireTrip } from './wire-trip.ts'
import { WireView } from './wire-view.ts'

const { readTrip, readTrips, writeTrip, writeTrips } = compile({
  syntax: 3,
  messages: [
    {
      name: 'Trip',
      fields: tripFields.map((field) => ({
        name: field.name,
        type: field.type,
        tag: field.tag,
        repeated: false,
        oneof: field.optional ? oneofOf(field) : null,
        options: {},
      })),
    },
    {
      name: 'Trips',
      fields: [{ name: 'trips', type: 'Trip', tag: TRIPS_TAG, repeated: true, oneof: null, options: {} }],
    },
  ],
})

/** Fields that are not present are '' and 0; the `…Set` fields tell which are. */
type ReadTrip = { [Key in keyof WireTrip]: NonNullable<WireTrip[Key]> } & {
  readonly [Key in `${keyof WireTrip}Set`]?: string
}

const fromRead = (message: unknown): Trip => {
  const trip = message as ReadTrip
  return {
    rideId: trip.rideId,
    rideableType: rideableOf(trip.rideableType),
    startedAt: new Date(trip.startedAtMs),
    endedAt: new Date(trip.endedAtMs),
    startStationName: trip.startStationNameSet === undefined ? null : trip.startStationName,
    startStationId: trip.startStationIdSet === undefined ? null : trip.startStationId,
    endStationName: trip.endStationNameSet === undefined ? null : trip.endStationName,
    endStationId: trip.endStationIdSet === undefined ? null : trip.endStationId,
    startLat: trip.startLatSet === undefined ? null : trip.startLat,
    startLng: trip.startLngSet === undefined ? null : trip.startLng,
    endLat: trip.endLatSet === undefined ? null : trip.endLat,
    endLng: trip.endLngSet === undefined ? null : trip.endLng,
    memberCasual: memberOf(trip.memberCasual),
  }
}

/** In turn, so that each message is garbage before the next is read. */
function decodeInTurn(bytes: Uint8Array): Trip[] {
  const reader = new PbfReader(bytes)
  const trips: Trip[] = []
  while (reader.nextField(reader.length) === TRIPS_TAG) {
    trips.push(fromRead(readTrip(reader, reader.readVarint() + reader.pos)))
  }
  return trips
}

export const pbfFormat: Format = {
  name: 'pbf',
  create: {
    untuned: () =>
      asList({
        encode: (trips) => {
          const writer = new PbfWriter()
          writeTrips({ trips: trips.map(toWire) }, writer)
          return writer.finish()
        },
        decode: (bytes) => readTrips(new PbfReader(bytes)).trips.map(fromRead),
      }),
    tuned: () => {
      const view = new WireView()
      const room = Buffer.alloc(ROOM_FOR_LIST)
      return asList({
        encode: (trips) => {
          const writer = new PbfWriter(room)
          for (const trip of trips) writer.writeMessage(TRIPS_TAG, writeTrip, view.over(trip))
          return writer.finish()
        },
        decode: decodeInTurn,
      })
    },
    rows: () => {
      const view = new WireView()
      const writer = new PbfWriter(Buffer.alloc(ROOM_FOR_ROW))
      return asRows({
        encode: (trip) => {
          // finish() would give away the rest of the buffer.
          writer.pos = 0
          writeTrip(view.over(trip), writer)
          return Buffer.from(writer.buf.subarray(0, writer.pos))
        },
        decode: (bytes) => fromRead(readTrip(new PbfReader(bytes))),
      })
    },
  },
  note: 'compiled by its own compiler; tuned: one view with getters over each trip in turn, and a buffer of ours',
}
