import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { bytes, decimalOf, json } from './row-types.js'
import { compilePlan } from './compile-plan.js'
import { compileCloner, compileManyCloner } from './compiled-cloner.js'
import { compileFreezer } from './compiled-freezer.js'
import { FunctionWriter } from './function-writer.js'
import { compileNormalizer } from './normalizer.js'
import { compileRecordReader } from './record/record-reader.js'
import { compileRecordWriter } from './record/record-writer.js'
import type { WirePlan } from './wire-plan.js'

const schemas = {
  flat: type({
    id: 'string',
    endsAt: 'Date',
    'soldAt?': 'Date | null',
    price: decimalOf(Decimal),
    views: 'bigint',
  }),
  nested: type({
    items: type({ at: 'Date', images: bytes.array() }).array(),
    span: ['Date', 'string'],
    byDay: { '[string]': 'Date' },
    owner: type({ since: 'Date' }).or('null'),
    meta: json,
  }),
  union: type({ kind: "'image' | 'drawing'", 'alt?': 'string' })
    .or({ kind: "'video'", sound: 'true', at: 'Date' })
    .or({ kind: "'video'", sound: 'false', at: 'string' })
    .or({ kind: "'list'", media: type({ id: '1' }).or({ id: '2', at: 'Date' }).or('null').array() }),
  hostile: type({ 'a"];throw 1//': 'Date', '${x}`': 'Date', 'new\nline': 'Date' }),
}

const sources = {
  cloner: [compileCloner, compileManyCloner],
  freezer: [compileFreezer],
  normalizer: [compileNormalizer],
  'record-reader': [compileRecordReader],
  'record-writer': [compileRecordWriter],
}

/** Generated code for review. UPDATE=1 updates the files. */
describe.each(Object.entries(sources))(
  'the compiled %s',
  (kind, compilers: ((plan: WirePlan) => unknown)[]) => {
    it.each(Object.entries(schemas))('of a %s row equals the reviewed code', (name, schema) => {
      const file = join(import.meta.dirname, 'golden', `${kind}.${name}.golden`)
      const plan = compilePlan(schema as never, name)
      // The last function that is compiled is the outermost one: without those of nested containers.
      const compiling = jest.spyOn(FunctionWriter.prototype, 'compile')
      const sources = compilers.map((compile) => {
        compile(plan)
        return (compiling.mock.contexts.at(-1) as FunctionWriter).source(compiling.mock.lastCall![0])
      })
      const source = `${[...new Set(sources)].join('\n\n')}\n`
      if (process.env.UPDATE) writeFileSync(file, source)
      expect(source).toBe(readFileSync(file, 'utf8'))
    })
  },
)
