import protobuf from 'protobufjs'
import { asList, asRows, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { oneofOf, TRIPS_KEY, TRIPS_TAG, tripFields } from './trip-fields.ts'
import { memberOf, rideableOf, toWire, writeWire, type WireTrip } from './wire-trip.ts'

const root = protobuf.Root.fromJSON({
  nested: {
    Trip: {
      oneofs: Object.fromEntries(
        tripFields
          .filter(({ optional }) => optional)
          .map((field) => [oneofOf(field), { oneof: [field.name] }]),
      ),
      fields: Object.fromEntries(
        tripFields.map(({ name, type, tag, optional }) => [
          name,
          { type, id: tag, ...(optional && { options: { proto3_optional: true } }) },
        ]),
      ),
    },
    Trips: { fields: { trips: { rule: 'repeated', type: 'Trip', id: TRIPS_TAG } } },
  },
})
const TripType = root.lookupType('Trip')
const TripsType = root.lookupType('Trips')

/** Result of `decode`: 64-bit integers are objects of the package `long`, and missing fields null. */
type DecodedTrip = Omit<WireTrip, 'startedAtMs' | 'endedAtMs'> & {
  startedAtMs: { toNumber(): number }
  endedAtMs: { toNumber(): number }
}

const fromDecoded = (message: unknown): Trip => {
  const trip = message as DecodedTrip
  return fromPlain(trip, trip.startedAtMs.toNumber(), trip.endedAtMs.toNumber())
}

const fromPlain = (
  trip: Omit<WireTrip, 'startedAtMs' | 'endedAtMs'>,
  startedAtMs: number,
  endedAtMs: number,
): Trip => ({
  rideId: trip.rideId,
  rideableType: rideableOf(trip.rideableType),
  startedAt: new Date(startedAtMs),
  endedAt: new Date(endedAtMs),
  startStationName: trip.startStationName ?? null,
  startStationId: trip.startStationId ?? null,
  endStationName: trip.endStationName ?? null,
  endStationId: trip.endStationId ?? null,
  startLat: trip.startLat ?? null,
  startLng: trip.startLng ?? null,
  endLat: trip.endLat ?? null,
  endLng: trip.endLng ?? null,
  memberCasual: memberOf(trip.memberCasual),
})

function decodePlain(bytes: Uint8Array): Trip[] {
  const plain = TripsType.toObject(TripsType.decode(bytes), { longs: Number }) as { trips: WireTrip[] }
  return plain.trips.map((trip) => fromPlain(trip, trip.startedAtMs, trip.endedAtMs))
}

/** In turn, so that each message is garbage before the next is read. */
function decodeInTurn(bytes: Uint8Array): Trip[] {
  const reader = protobuf.Reader.create(bytes)
  const trips: Trip[] = []
  while (reader.pos < reader.len) {
    if (reader.uint32() !== TRIPS_KEY) throw new Error('A message of trips has an unknown field.')
    trips.push(fromDecoded(TripType.decode(reader, reader.uint32())))
  }
  return trips
}

export const protobufJsFormat: Format = {
  name: 'protobuf.js',
  create: {
    untuned: () =>
      asList({
        encode: (trips) => {
          const messages = trips.map((trip) =>
            TripType.create(toWire(trip) as object as Record<string, unknown>),
          )
          return TripsType.encode(TripsType.create({ trips: messages })).finish()
        },
        decode: decodePlain,
      }),
    tuned: () => {
      const wire = {} as WireTrip
      return asList({
        encode: (trips) => {
          const writer = protobuf.Writer.create()
          for (const trip of trips) {
            TripType.encode(writeWire(trip, wire) as never, writer.uint32(TRIPS_KEY).fork()).ldelim()
          }
          return writer.finish()
        },
        decode: decodeInTurn,
      })
    },
    rows: () => {
      const wire = {} as WireTrip
      return asRows({
        encode: (trip) => TripType.encode(writeWire(trip, wire) as never).finish(),
        decode: (bytes) => fromDecoded(TripType.decode(bytes)),
      })
    },
  },
  note:
    'compiled by reflection; tuned: one object that is filled with each trip in turn, since it reads no getters, and no ' +
    'list of messages; it takes no buffer',
}
