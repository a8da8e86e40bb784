import avro from 'avsc'
import * as cbor from 'cbor-x'
import * as msgpackr from 'msgpackr'
import { asList, asRows, mapBack, remap, ROOM_FOR_LIST, type Format, type MappedTrip } from '../format.ts'
import { FIELDS, type Field, type Trip } from '../trip.ts'

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

/** Dates, under Avro's own name for milliseconds. */
class DateType extends avro.types.LogicalType {
  protected override _fromValue(value: number): Date {
    return new Date(value)
  }
  protected override _toValue(value: Date): number {
    return value.getTime()
  }
}

const avroType = ({ name, kind, values }: Field): avro.Schema => {
  if (kind === 'time') return { type: 'long', logicalType: 'timestamp-millis' } as avro.Schema
  if (values) return { type: 'enum', name: `${name}Kind`, symbols: [...values] }
  return kind === 'text' ? 'string' : 'double'
}
const avroFields = FIELDS.map((field) => {
  const type = avroType(field)
  return { name: field.name, type: field.optional ? ['null', type] : type }
})
const TRIP = { type: 'record', name: 'Trip', fields: avroFields } as avro.Schema

const TRIPS = {
  type: 'record',
  name: 'Trips',
  fields: [{ name: 'trips', type: { type: 'array', items: TRIP } }],
} as avro.Schema

const logicalTypes = { 'timestamp-millis': DateType }

export const avroFormat: Format = {
  name: 'avsc',
  create: {
    untuned: () => {
      const trips = avro.Type.forSchema(TRIPS)
      return asList({
        encode: (rows) => trips.toBuffer({ trips: rows.map(remap) }),
        decode: (bytes) => (trips.fromBuffer(bytes as Buffer) as { trips: MappedTrip[] }).trips.map(mapBack),
      })
    },
    tuned: () => {
      const type = avro.Type.forSchema(TRIPS, { logicalTypes })
      const room = Buffer.alloc(ROOM_FOR_LIST)
      return asList({
        encode: (trips) => room.subarray(0, type.encode({ trips }, room)),
        decode: (bytes) => (type.decode(bytes as Buffer).value as { trips: Trip[] }).trips,
      })
    },
    rows: () => {
      const type = avro.Type.forSchema(TRIP, { logicalTypes })
      return asRows({
        encode: (trip) => type.toBuffer(trip),
        decode: (bytes) => type.fromBuffer(bytes as Buffer) as Trip,
      })
    },
  },
  note: 'tuned: unmapped rows, dates by a logical type, a buffer that is large enough; returns objects of a class of its own',
}
