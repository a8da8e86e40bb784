import fastJsonStringify from 'fast-json-stringify'
import { asList, asRows, bytesOf, ROOM_FOR_LIST, textOf, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'

type TripText = Omit<Trip, 'startedAt' | 'endedAt'> & { startedAt: string; endedAt: string }

/** A reviver, called for every key. */
const reviveDates = (key: string, value: unknown): unknown =>
  key === 'startedAt' || key === 'endedAt' ? new Date(value as string) : value

/** In place. */
function withDates(trip: TripText): Trip {
  const row = trip as unknown as Trip
  row.startedAt = new Date(trip.startedAt)
  row.endedAt = new Date(trip.endedAt)
  return row
}

const parseTrip = (bytes: Uint8Array): Trip => withDates(JSON.parse(textOf(bytes)) as TripText)

function parseTrips(bytes: Uint8Array): Trip[] {
  const { trips } = JSON.parse(textOf(bytes)) as { trips: TripText[] }
  return trips.map(withDates)
}

const reviveTrips = (bytes: Uint8Array): Trip[] =>
  (JSON.parse(textOf(bytes), reviveDates) as { trips: Trip[] }).trips

const remap = (trip: Trip): TripText => ({
  ...trip,
  startedAt: trip.startedAt.toISOString(),
  endedAt: trip.endedAt.toISOString(),
})

export const jsonFormat: Format = {
  name: 'JSON',
  create: {
    untuned: () => asList({ encode: (trips) => bytesOf(JSON.stringify({ trips })), decode: reviveTrips }),
    tuned: () =>
      asList({ encode: (trips) => bytesOf(JSON.stringify({ trips: trips.map(remap) })), decode: parseTrips }),
    rows: () => asRows({ encode: (trip) => bytesOf(JSON.stringify(remap(trip))), decode: parseTrip }),
  },
  note:
    'untuned: unmapped rows, whose Dates have toJSON, and a reviver; tuned: dates mapped to strings, since V8 has a faster ' +
    'path for objects without toJSON, and restored after parsing',
}

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const
/** Never needs an escape, so nothing checks for one. */
const plain = { type: 'string', format: 'unsafe' } as const
const orNull = <Schema extends object>(schema: Schema) => ({ ...schema, nullable: true })

const schemaOf = (id: typeof text | typeof plain, date: typeof text | typeof time) => ({
  type: 'object' as const,
  properties: {
    rideId: id,
    rideableType: id,
    startedAt: date,
    endedAt: date,
    startStationName: orNull(text),
    startStationId: orNull(id),
    endStationName: orNull(text),
    endStationId: orNull(id),
    startLat: orNull({ type: 'number' } as const),
    startLng: orNull({ type: 'number' } as const),
    endLat: orNull({ type: 'number' } as const),
    endLng: orNull({ type: 'number' } as const),
    memberCasual: id,
  },
})

const untunedTrips = { type: 'array', items: schemaOf(text, text) } as const
const tunedTrip = schemaOf(plain, time)

/** Writes text by text: one string of all would consist of pieces, which the collector copies before they are joined. */
function createListWriter(): (trips: readonly Trip[]) => Uint8Array {
  const write = fastJsonStringify(tunedTrip)
  const room = Buffer.alloc(ROOM_FOR_LIST)
  return (trips) => {
    let end = room.write('{"trips":[')
    trips.forEach((trip, index) => {
      if (index > 0) end += room.write(',', end)
      end += room.write(write(trip), end)
    })
    return room.subarray(0, end + room.write(']}', end))
  }
}

export const fastJsonStringifyFormat: Format = {
  name: 'fast-json-stringify',
  create: {
    untuned: () => {
      const write = fastJsonStringify({ type: 'object', properties: { trips: untunedTrips } })
      return asList({ encode: (trips) => bytesOf(write({ trips: trips.map(remap) })), decode: reviveTrips })
    },
    tuned: () => asList({ encode: createListWriter(), decode: parseTrips }),
    rows: () => {
      const write = fastJsonStringify(tunedTrip)
      return asRows({ encode: (trip) => bytesOf(write(trip)), decode: parseTrip })
    },
  },
  note: 'tuned: unmapped rows, ids and enums declared free of escapes, and trip by trip into a buffer of ours; reads as JSON does',
}
