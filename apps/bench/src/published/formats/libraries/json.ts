import { type, type Type } from 'arktype'
import fastJsonStringify from 'fast-json-stringify'
import { compileCodec, undecodable, type WireFormat } from 'model-cache/codec'
import { asList, asRows, bytesOf, ROOM_FOR_LIST, textOf, type Format } from '../format.ts'
import { FIELDS, type Field, type Trip } from '../trip.ts'

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
const unescaped = { type: 'string', format: 'unsafe' } as const

/** @param isTuned declares what needs no escape, and takes dates unmapped */
function schemaOf(isTuned: boolean) {
  const present = ({ kind, plain }: Field) => {
    if (kind === 'number') return { type: 'number' } as const
    if (kind === 'time') return isTuned ? time : text
    return isTuned && plain ? unescaped : text
  }
  const properties = FIELDS.map((field) => [
    field.name,
    { ...present(field), ...(field.optional && { nullable: true }) },
  ])
  return { type: 'object' as const, properties: Object.fromEntries(properties) }
}

const untunedTrips = { type: 'array', items: schemaOf(false) } as const
const tunedTrip = schemaOf(true)

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

const arkTypes = { text: 'string', time: 'Date', number: 'number' } as const
const tripSchema = type(
  Object.fromEntries(
    FIELDS.map(({ name, kind, optional, values }) => [
      name,
      kind === 'enum' ? `'${values!.join("' | '")}'` : arkTypes[kind] + (optional ? ' | null' : ''),
    ]),
  ) as never,
) as unknown as Type<Trip>

/** This library: row by row, as a cache stores rows, with nothing to tune. */
export const modelCacheFormat = (format: WireFormat): Format => ({
  name: `model-cache ${format}`,
  create: {
    rows: () => {
      const codec = compileCodec(tripSchema, { name: 'Trip', format })
      return asRows({
        encode: (trip) => bytesOf(codec.encode(trip)),
        decode: (bytes) => rowOf(codec.decode(textOf(bytes))),
      })
    },
  },
  note: 'row by row; checks each value before it writes, and each payload before it returns a row',
})

function rowOf(decoded: Trip | null | undefined | typeof undecodable): Trip {
  if (decoded === undecodable || !decoded) throw new Error('A payload of the codec cannot be decoded.')
  return decoded
}
