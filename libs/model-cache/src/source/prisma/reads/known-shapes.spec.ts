import type { ComputedFields } from '../client-extensions.js'
import type { Args, QueryParams } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { KnownShapes, type ResultShape } from './known-shapes.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Item {
  id   Int    @id
  name String
}`)
const params: QueryParams = { model: 'Item', action: 'findMany', dataPath: [] }

/** What is learned of queries, by default those by a name, of clients each of which has extensions of its own. */
function open() {
  const shapes = new KnownShapes(facts, new Map([['Item', { ttl: '1h' }]]))
  return (computed?: ComputedFields, args: Args = { where: { name: 'a' } }): ResultShape['preference'] => {
    const client = { _extensions: { getAllComputedFields: () => computed } }
    return shapes.of(client, { params, args }).preference
  }
}

it('learns of queries of all clients that have the same results, if one is extended for each request', () => {
  const preferenceOf = open()
  // None of them finds a result.
  for (let n = 0; n < 4_096; n++) {
    const sample = n % 256
    const preference = preferenceOf()
    if (preference.prefers(sample)) preference.note(sample, false)
  }
  expect(preferenceOf().isOn).toBe(false)
})

it('learns apart of those whose computed fields need other fields', () => {
  const preferenceOf = open()
  const label = { label: { name: 'label', needs: ['name'] } }
  expect(preferenceOf(label)).toBe(preferenceOf(label))
  expect(preferenceOf(label)).not.toBe(preferenceOf())
})

it('learns of pages together, of which there may be any number', () => {
  const preferenceOf = open()
  const pageOf = (args: Args) => preferenceOf(undefined, { take: 20, ...args })
  const first = pageOf({})
  const pages = Array.from({ length: 1_000 }, (_, page) => pageOf({ skip: page * 20 }))
  expect(new Set(pages).size).toBe(8)
  expect(pages).not.toContain(first)
  expect(pageOf({})).toBe(first)
})
