import avro from 'avsc'
import { asList, asRows, mapBack, remap, ROOM_FOR_LIST, type Format, type MappedTrip } from '../format.ts'
import type { Trip } from '../trip.ts'

/** Dates, under Avro's own name for milliseconds. */
class DateType extends avro.types.LogicalType {
  protected override _fromValue(value: number): Date {
    return new Date(value)
  }
  protected override _toValue(value: Date): number {
    return value.getTime()
  }
}

const TIME = { type: 'long', logicalType: 'timestamp-millis' } as const

const TRIP = {
  type: 'record',
  name: 'Trip',
  fields: [
    { name: 'rideId', type: 'string' },
    {
      name: 'rideableType',
      type: { type: 'enum', name: 'RideableType', symbols: ['classic_bike', 'electric_bike'] },
    },
    { name: 'startedAt', type: TIME },
    { name: 'endedAt', type: TIME },
    { name: 'startStationName', type: ['null', 'string'] },
    { name: 'startStationId', type: ['null', 'string'] },
    { name: 'endStationName', type: ['null', 'string'] },
    { name: 'endStationId', type: ['null', 'string'] },
    { name: 'startLat', type: ['null', 'double'] },
    { name: 'startLng', type: ['null', 'double'] },
    { name: 'endLat', type: ['null', 'double'] },
    { name: 'endLng', type: ['null', 'double'] },
    { name: 'memberCasual', type: { type: 'enum', name: 'MemberKind', symbols: ['member', 'casual'] } },
  ],
} satisfies avro.Schema

const TRIPS = {
  type: 'record',
  name: 'Trips',
  fields: [{ name: 'trips', type: { type: 'array', items: TRIP } }],
} satisfies avro.Schema

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
