import { type, type Type } from 'arktype'
import fastJsonStringify from 'fast-json-stringify'
import { compileCodec, type WireFormat } from 'model-cache/codec'
import { ROOM_FOR_LIST, withTimes, type Format, type MappedTrip, type Message } from '../format.ts'
import { FIELDS, type Field, type Trip } from '../trip.ts'

/** To bytes that are ready for a socket. */
const bytesOf = (text: string): Message => Buffer.from(text, 'utf8')

const textOf = (bytes: Message): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

const withTexts = (trip: Trip): MappedTrip<string> => withTimes(trip, (time) => time.toISOString())

/** In place. */
function restoreDates(trip: MappedTrip<string>): Trip {
  const row = trip as unknown as Trip
  row.startedAt = new Date(trip.startedAt)
  row.endedAt = new Date(trip.endedAt)
  return row
}

const parseTrip = (bytes: Message): Trip => restoreDates(JSON.parse(textOf(bytes)) as MappedTrip<string>)

const parseTrips = (bytes: Message): Trip[] =>
  (JSON.parse(textOf(bytes)) as { trips: MappedTrip<string>[] }).trips.map(restoreDates)

/** By a reviver, which is called for every key. */
function reviveTrips(bytes: Message): Trip[] {
  const parsed: unknown = JSON.parse(textOf(bytes), (key, value: unknown) =>
    key === 'startedAt' || key === 'endedAt' ? new Date(value as string) : value,
  )
  return (parsed as { trips: Trip[] }).trips
}

export const jsonFormat: Format = {
  name: 'JSON',
  note:
    'untuned: unmapped rows, whose Dates have toJSON, and a reviver; tuned: dates mapped to strings, since V8 has a faster ' +
    'path for objects without toJSON, and restored after parsing',
  untuned: () => ({ encode: (trips) => bytesOf(JSON.stringify({ trips })), decode: reviveTrips }),
  tuned: () => ({
    encode: (trips) => bytesOf(JSON.stringify({ trips: trips.map(withTexts) })),
    decode: parseTrips,
  }),
  rows: () => ({ encode: (trip) => bytesOf(JSON.stringify(withTexts(trip))), decode: parseTrip }),
}

/** @param isTuned declares what never needs an escape, so that nothing checks for one, and takes dates unmapped */
function schemaOf(isTuned: boolean) {
  const present = ({ kind, plain }: Field): object => {
    if (kind === 'number') return { type: 'number' }
    const format = kind === 'time' ? 'date-time' : plain && 'unsafe'
    return { type: 'string', ...(isTuned && format && { format }) }
  }
  const properties = FIELDS.map((field) => [
    field.name,
    { ...present(field), ...(field.optional && { nullable: true }) },
  ])
  return { type: 'object' as const, properties: Object.fromEntries(properties) }
}

export const fastJsonStringifyFormat: Format = {
  name: 'fast-json-stringify',
  note: 'tuned: unmapped rows, ids and enums declared free of escapes, and trip by trip into a buffer of ours; reads as JSON does',
  untuned() {
    const trips = { type: 'array', items: schemaOf(false) } as const
    const write = fastJsonStringify({ type: 'object', properties: { trips } })
    return { encode: (rows) => bytesOf(write({ trips: rows.map(withTexts) })), decode: reviveTrips }
  },
  tuned() {
    const write = fastJsonStringify(schemaOf(true))
    const room = Buffer.alloc(ROOM_FOR_LIST)
    return {
      // Text by text: one string of all would consist of pieces, which the collector copies before they are joined.
      encode(trips) {
        let end = room.write('{"trips":[')
        trips.forEach((trip, index) => {
          if (index > 0) end += room.write(',', end)
          end += room.write(write(trip), end)
        })
        return room.subarray(0, end + room.write(']}', end))
      },
      decode: parseTrips,
    }
  },
  rows() {
    const write = fastJsonStringify(schemaOf(true))
    return { encode: (trip) => bytesOf(write(trip)), decode: parseTrip }
  },
}

const arkType = ({ kind, optional, values }: Field): string => {
  if (kind === 'enum') return `'${values!.join("' | '")}'`
  return { text: 'string', time: 'Date', number: 'number' }[kind] + (optional ? ' | null' : '')
}

/** This library: row by row, as a cache stores rows, with nothing to tune. */
export const modelCacheFormat = (format: WireFormat): Format => ({
  name: `model-cache ${format}`,
  note: 'row by row; checks each value before it writes, and each payload before it returns a row',
  rows() {
    const schema = type(Object.fromEntries(FIELDS.map((field) => [field.name, arkType(field)])) as never)
    const codec = compileCodec(schema as unknown as Type<Trip>, { name: 'Trip', format })
    return {
      encode: (trip) => bytesOf(codec.encode(trip)),
      decode: (bytes) => codec.decode(textOf(bytes)) as Trip,
    }
  },
})
