import { deserialize, serialize } from 'node:v8'
import * as devalue from 'devalue'
import { Packr, addExtension } from 'msgpackr'
import { SuperJSON } from 'superjson'
import { Decimal } from '../fixtures/fixture.ts'
import { mapValues } from '../map-values.ts'
import { bytesCandidate, textCandidate, type Candidate } from './candidate.ts'

type Decimal = InstanceType<typeof Decimal>

addExtension({
  Class: Decimal,
  type: 1,
  write: (value: Decimal) => value.toString(),
  read: (text: string) => new Decimal(text),
})

/** With record structures, which it shares between rows: keys do not travel, but writer and reader must share them. */
export function createMsgpackr(): Candidate {
  const packr = new Packr({ structures: [] })
  return bytesCandidate(
    'msgpackr',
    (row) => packr.pack(row),
    (bytes) => packr.unpack(bytes) as unknown,
    {
      expected: (row) =>
        mapValues(row, (value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
      note: 'bytes come back as a Buffer; its structures, without which nothing can be read, are kept apart',
    },
  )
}

/** Cannot store what has a function in it, as every Decimal does. */
export function createV8(): Candidate {
  const take = (row: unknown) =>
    mapValues(row, (value) => (Decimal.isDecimal(value) ? value.toString() : value))
  return bytesCandidate('v8', serialize, deserialize, {
    take,
    expected: take,
    note: 'decimals are made strings before timing, and stay strings',
  })
}

export function createSuperjson(): Candidate {
  const superjson = new SuperJSON()
  superjson.registerCustom<Decimal, string>(
    {
      isApplicable: (value): value is Decimal => Decimal.isDecimal(value),
      serialize: (value) => value.toString(),
      deserialize: (text) => new Decimal(text),
    },
    'decimal',
  )
  return textCandidate(
    'superjson',
    (row: unknown) => superjson.stringify(row),
    (text) => superjson.parse(text),
  )
}

export function createDevalue(): Candidate {
  const reducers = { Decimal: (value: unknown) => Decimal.isDecimal(value) && value.toString() }
  const revivers = { Decimal: (text: string) => new Decimal(text) }
  return textCandidate(
    'devalue',
    (row: unknown) => devalue.stringify(row, reducers),
    (text) => devalue.parse(text, revivers) as unknown,
  )
}
