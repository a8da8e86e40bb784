import avro from 'avsc'
import * as cbor from 'cbor-x'
import * as msgpackr from 'msgpackr'
import { ROOM_FOR_LIST, withDates, withMs, type Format, type MappedTrip } from '../format.ts'
import { FIELDS, type Field, type Trip } from '../trip.ts'

/** What msgpackr and cbor-x have in common. */
interface Packer {
  encode(value: unknown): Buffer
  decode(bytes: Uint8Array): unknown
  /** Documented, but not in the types of cbor-x. */
  useBuffer?(buffer: Uint8Array): void
}

const packerFormat = (
  name: string,
  untuned: Packer & { readonly isNativeAccelerationEnabled: boolean },
  createPacker: () => Packer,
): Format => ({
  name,
  note:
    'tuned: shared structures, which are kept apart and not counted, a buffer of ours, and its own form of dates; ' +
    `${untuned.isNativeAccelerationEnabled ? 'with' : 'without'} its native reader of strings`,
  untuned: () => ({
    encode: (trips) => untuned.encode({ trips: trips.map(withMs) }),
    decode: (bytes) => (untuned.decode(bytes) as { trips: MappedTrip<number>[] }).trips.map(withDates),
  }),
  tuned() {
    const packer = createPacker()
    const room = Buffer.alloc(ROOM_FOR_LIST)
    return {
      encode(trips) {
        packer.useBuffer!(room)
        return packer.encode({ trips })
      },
      decode: (bytes) => (packer.decode(bytes) as { trips: Trip[] }).trips,
    }
  },
  rows() {
    const packer = createPacker()
    return { encode: (trip) => packer.encode(trip), decode: (bytes) => packer.decode(bytes) as Trip }
  },
})

export const msgpackrFormat = packerFormat('msgpackr', msgpackr, () => new msgpackr.Packr({ structures: [] }))
export const cborFormat = packerFormat('cbor-x', cbor, () => new cbor.Encoder({ structures: [] }))

/** Dates, under Avro's own name for milliseconds. */
class DateType extends avro.types.LogicalType {
  protected override _fromValue(value: number): Date {
    return new Date(value)
  }
  protected override _toValue(value: Date): number {
    return value.getTime()
  }
}
const logicalTypes = { 'timestamp-millis': DateType }

const avroType = ({ name, kind, values }: Field): avro.Schema => {
  if (kind === 'time') return { type: 'long', logicalType: 'timestamp-millis' } as avro.Schema
  if (values) return { type: 'enum', name: `${name}Kind`, symbols: [...values] }
  return kind === 'text' ? 'string' : 'double'
}
const fields = FIELDS.map((field) => {
  const type = avroType(field)
  return { name: field.name, type: field.optional ? ['null', type] : type }
})
const TRIP = { type: 'record', name: 'Trip', fields } as avro.Schema
const LIST = { name: 'trips', type: { type: 'array', items: TRIP } }
const TRIPS = { type: 'record', name: 'Trips', fields: [LIST] } as avro.Schema

export const avroFormat: Format = {
  name: 'avsc',
  note: 'tuned: unmapped rows, dates by a logical type, a buffer that is large enough; returns objects of a class of its own',
  untuned() {
    const type = avro.Type.forSchema(TRIPS)
    return {
      encode: (trips) => type.toBuffer({ trips: trips.map(withMs) }),
      decode: (bytes) =>
        (type.fromBuffer(bytes as Buffer) as { trips: MappedTrip<number>[] }).trips.map(withDates),
    }
  },
  tuned() {
    const type = avro.Type.forSchema(TRIPS, { logicalTypes })
    const room = Buffer.alloc(ROOM_FOR_LIST)
    return {
      encode: (trips) => room.subarray(0, type.encode({ trips }, room)),
      decode: (bytes) => (type.decode(bytes as Buffer).value as { trips: Trip[] }).trips,
    }
  },
  rows() {
    const type = avro.Type.forSchema(TRIP, { logicalTypes })
    return {
      encode: (trip) => type.toBuffer(trip),
      decode: (bytes) => type.fromBuffer(bytes as Buffer) as Trip,
    }
  },
}
