import { type } from 'arktype'
import { compileCodec, undecodable, type WireFormat } from 'model-cache/codec'
import { asRows, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { bytesOf, textOf } from './text.ts'

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

/** This library through its public entry point: row by row, as a cache stores rows, and nothing to tune. */
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
  note: 'row by row; checks each value against the schema before it writes, and each text before it gives a row',
})

function rowOf(decoded: Trip | null | undefined | typeof undecodable): Trip {
  if (decoded === undecodable || !decoded) throw new Error('A text that the codec wrote cannot be decoded.')
  return decoded
}

export const modelCacheJson = createFormat('json')
export const modelCacheRecord = createFormat('record')
