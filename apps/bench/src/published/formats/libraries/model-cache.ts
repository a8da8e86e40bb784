import { type } from 'arktype'
import { compileCodec, undecodable, type WireFormat } from 'model-cache/codec'
import { asRows, bytesOf, textOf, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'

const tripSchema = type({
  rideId: 'string',
  rideableType: "'classic_bike' | 'electric_bike'",
  startedAt: 'Date',
  endedAt: 'Date',
  startStationName: 'string | null',
  startStationId: 'string | null',
  endStationName: 'string | null',
  endStationId: 'string | null',
  startLat: 'number | null',
  startLng: 'number | null',
  endLat: 'number | null',
  endLng: 'number | null',
  memberCasual: "'member' | 'casual'",
})

/** This library: row by row, as a cache stores rows, with nothing to tune. */
const createFormat = (format: WireFormat): Format => ({
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

export const modelCacheJson = createFormat('json')
export const modelCacheRecord = createFormat('record')
