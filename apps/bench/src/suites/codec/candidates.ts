import { deserialize, serialize } from 'node:v8'
import * as devalue from 'devalue'
import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import { Packr, addExtension } from 'msgpackr'
import { SuperJSON } from 'superjson'
import type { Codec } from 'model-cache/codec'
import { createBareJson, plain } from '../../harness/codecs/bare-json.ts'
import {
  bytesCandidate,
  codecCandidate,
  mapValues,
  PARSER,
  textCandidate,
  type Candidate,
} from '../../harness/codecs/candidate.ts'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { valuesOf } from '../../harness/codecs/values.ts'
import { Decimal, type Fixture } from '../../harness/fixtures/fixture.ts'

type Decimal = InstanceType<typeof Decimal>

/** New candidates for each fixture, as an application has one of each kind per model. */
export const candidatesFor = (fixture: Fixture): Candidate[] => [
  ...createModelCache(fixture),
  createValues(fixture),
  ...createBareJson(),
  createFastJsonStringify(fixture),
  createPrefixes(),
  createMsgpackr(),
  createV8(),
  createSuperjson(),
  createDevalue(),
]

/** This library: the default codec, each format and reviver by name, and the parts that it exports. */
function createModelCache(fixture: Fixture): Candidate[] {
  const record = fixture.compile('record')
  const json = fixture.compile('json')
  const reviver = fixture.createReviver()
  const stringifier = fixture.createStringifier()
  return [
    codecCandidate('default', fixture.compile()),
    // A shape that a record cannot hold gets the other format.
    ...(record.format === 'record' ? [codecCandidate('record', record)] : []),
    codecCandidate('json', json),
    // `createReviver` alone: nothing checks that the value is a row.
    textCandidate('reviver', json.encode, (text) => reviver.revive(text), { timed: PARSER }),
    // `createStringifier`: fast-json-stringify behind a check of the row.
    textCandidate('fast-json-stringify', (row: unknown) => stringifier.stringify(row), json.decode, {
      timed: ['encode'],
    }),
  ]
}

export const VALUES = 'values alone'

function createValues(fixture: Fixture): Candidate {
  const codec = fixture.compile()
  return textCandidate(VALUES, (row: unknown) => codec.encode(row), valuesOf(codec, fixture.rows), {
    timed: PARSER,
    note: 'no format: copies of rows, and one piece of the text for each of their strings; what rows cost that nobody decodes',
  })
}

/** fast-json-stringify alone, with a schema as one would write it by hand: rows are not checked. */
function createFastJsonStringify(fixture: Fixture): Candidate {
  const write = fastJsonStringify(jsonSchemaOf(fixture.compile('json').plan))
  return textCandidate('fast-json-stringify-unchecked', write, JSON.parse, { ...plain, timed: ['encode'] })
}

type Plan = Codec<unknown>['plan']

/** A schema for rows whose bigints and bytes are strings. */
const jsonSchemaOf = (plan: Plan): Schema =>
  ({ ...schemaOfPresent(plan), nullable: plan.nullable || plan.undefinable }) as Schema

function schemaOfPresent(plan: Plan): object {
  switch (plan.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type: plan.kind }
    case 'date':
      return { type: 'string', format: 'date-time' }
    case 'decimal':
    case 'bigint':
    case 'bytes':
      return { type: 'string' }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(plan.fields.map((field) => [field.name, jsonSchemaOf(field.plan)])),
      }
    case 'array':
      return { type: 'array', items: jsonSchemaOf(plan.items) }
    default:
      // Without a type it is left to JSON.stringify.
      return {}
  }
}

addExtension({
  Class: Decimal,
  type: 1,
  write: (value: Decimal) => value.toString(),
  read: (text: string) => new Decimal(text),
})

/** With record structures shared between rows: keys are not sent, but writer and reader must share the structures. */
function createMsgpackr(): Candidate {
  const packr = new Packr({ structures: [] })
  return bytesCandidate(
    'msgpackr',
    (row) => packr.pack(row),
    (bytes) => packr.unpack(bytes) as unknown,
    {
      expected: (row) =>
        mapValues(row, (value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
      note: 'bytes come back as a Buffer; its structures are kept apart, and nothing can be read without them',
    },
  )
}

/** Cannot store objects with functions, as every Decimal is. */
function createV8(): Candidate {
  const take = (row: unknown) =>
    mapValues(row, (value) => (Decimal.isDecimal(value) ? value.toString() : value))
  return bytesCandidate('v8', serialize, deserialize, {
    take,
    expected: take,
    note: 'decimals are made strings before timing, and stay strings',
  })
}

function createSuperjson(): Candidate {
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

function createDevalue(): Candidate {
  const reducers = { Decimal: (value: unknown) => Decimal.isDecimal(value) && value.toString() }
  const revivers = { Decimal: (text: string) => new Decimal(text) }
  return textCandidate(
    'devalue',
    (row: unknown) => devalue.stringify(row, reducers),
    (text) => devalue.parse(text, revivers) as unknown,
  )
}
