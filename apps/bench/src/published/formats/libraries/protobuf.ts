/** Protocol Buffers by two compilers, from one schema. A proto3 `optional` distinguishes missing from empty. */
import { PbfReader, PbfWriter } from 'pbf'
import { compile } from 'pbf/compile'
import protobuf from 'protobufjs'
import { ROOM_FOR_LIST, ROOM_FOR_ROW, type Format } from '../format.ts'
import { FIELDS, isTime, type Trip } from '../trip.ts'
import { enumOf, generate, lines, objectOf, wireName, WireTripView, writeWire } from '../wire.ts'

/** An enum is a number on the wire as well. */
const TYPES = { text: 'string', enum: 'uint32', time: 'int64', number: 'double' } as const

/** The tag of the list, and its key on the wire: tag 1, with a length before it. */
const TRIPS_TAG = 1
const TRIPS_KEY = (TRIPS_TAG << 3) | 2

/** The trip in a message, by the code for its times and for what may be missing. */
const fromMessage = (timeOf: (code: string) => string, optionalOf: (name: string) => string) =>
  generate<(message: unknown) => Trip>(
    `(trip) => ${objectOf((field) => {
      const code = `trip.${wireName(field)}`
      if (isTime(field)) return `new Date(${timeOf(code)})`
      if (field.kind === 'enum') return enumOf(field, code)
      return field.optional ? optionalOf(field.name) : code
    })}`,
  )

const same = (code: string): string => code
const orNull = (name: string): string => `trip.${name} ?? null`
/** Fields that are not present are '' and 0; the `…Set` fields tell which are. */
const fromRead = fromMessage(same, (name) => `trip.${name}Set === undefined ? null : trip.${name}`)
/** 64-bit integers are objects of the package `long`, and missing fields null. */
const fromDecoded = fromMessage((code) => `${code}.toNumber()`, orNull)
const fromPlain = fromMessage(same, orNull)

const pbfField = { repeated: false, oneof: null, options: {} }
const { readTrip, readTrips, writeTrip, writeTrips } = compile({
  syntax: 3,
  messages: [
    {
      name: 'Trip',
      fields: FIELDS.map((field, index) => ({
        ...pbfField,
        name: wireName(field),
        type: TYPES[field.kind],
        tag: index + 1,
        // `optional` stands for a oneof with a single field, of this name.
        oneof: field.optional ? `${field.name}Set` : null,
      })),
    },
    { name: 'Trips', fields: [{ ...pbfField, name: 'trips', type: 'Trip', tag: TRIPS_TAG, repeated: true }] },
  ],
})

export const pbfFormat: Format = {
  name: 'pbf',
  note: 'compiled by its own compiler; tuned: one view with getters over each trip in turn, and a buffer of ours',
  untuned: () => ({
    encode(trips) {
      const writer = new PbfWriter()
      writeTrips({ trips: trips.map((trip) => writeWire(trip, {})) }, writer)
      return writer.finish()
    },
    decode: (bytes) => readTrips(new PbfReader(bytes)).trips.map(fromRead),
  }),
  tuned() {
    const view = new WireTripView()
    const room = Buffer.alloc(ROOM_FOR_LIST)
    return {
      encode(trips) {
        const writer = new PbfWriter(room)
        for (const trip of trips) writer.writeMessage(TRIPS_TAG, writeTrip, view.over(trip))
        return writer.finish()
      },
      // In turn, so that each message is garbage before the next is read.
      decode(bytes) {
        const reader = new PbfReader(bytes)
        const trips: Trip[] = []
        while (reader.nextField(reader.length) === TRIPS_TAG) {
          trips.push(fromRead(readTrip(reader, reader.readVarint() + reader.pos)))
        }
        return trips
      },
    }
  },
  rows() {
    const view = new WireTripView()
    const writer = new PbfWriter(Buffer.alloc(ROOM_FOR_ROW))
    return {
      encode(trip) {
        // finish() would give away the rest of the buffer.
        writer.pos = 0
        writeTrip(view.over(trip), writer)
        return Buffer.from(writer.buf.subarray(0, writer.pos))
      },
      decode: (bytes) => fromRead(readTrip(new PbfReader(bytes))),
    }
  },
}

const { root } = protobuf.parse(`syntax = "proto3";
message Trip {
  ${lines((field, tag) => `${field.optional ? 'optional ' : ''}${TYPES[field.kind]} ${wireName(field)} = ${tag};`)}
}
message Trips { repeated Trip trips = ${TRIPS_TAG}; }`)
const TripType = root.lookupType('Trip')
const TripsType = root.lookupType('Trips')

export const protobufJsFormat: Format = {
  name: 'protobuf.js',
  note:
    'compiled by reflection; tuned: one object that is filled with each trip in turn, since it reads no getters, and no ' +
    'list of messages; it takes no buffer',
  untuned: () => ({
    encode(trips) {
      const messages = trips.map((trip) => TripType.create(writeWire(trip, {})))
      return TripsType.encode(TripsType.create({ trips: messages })).finish()
    },
    decode(bytes) {
      const plain = TripsType.toObject(TripsType.decode(bytes), { longs: Number }) as { trips: unknown[] }
      return plain.trips.map(fromPlain)
    },
  }),
  tuned() {
    const wire = {}
    return {
      encode(trips) {
        const writer = protobuf.Writer.create()
        for (const trip of trips) {
          TripType.encode(writeWire(trip, wire) as never, writer.uint32(TRIPS_KEY).fork()).ldelim()
        }
        return writer.finish()
      },
      // In turn, so that each message is garbage before the next is read.
      decode(bytes) {
        const reader = protobuf.Reader.create(bytes)
        const trips: Trip[] = []
        while (reader.pos < reader.len) {
          if (reader.uint32() !== TRIPS_KEY) throw new Error('A message of trips has an unknown field.')
          trips.push(fromDecoded(TripType.decode(reader, reader.uint32())))
        }
        return trips
      },
    }
  },
  rows() {
    const wire = {}
    return {
      encode: (trip) => TripType.encode(writeWire(trip, wire) as never).finish(),
      decode: (bytes) => fromDecoded(TripType.decode(bytes)),
    }
  },
}
