import type { ComputedFields } from '../client-extensions.js'
import type { QueryParams } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { KnownShapes, type ResultShape } from './known-shapes.js'

const { models } = describeSchemaText(`
datasource db { provider = "postgresql" }
model Item {
  id   Int    @id
  name String
}`)
const params: QueryParams = { model: 'Item', action: 'findMany', dataPath: [] }

/** What is learned of queries by a name, of clients each of which has extensions of its own. */
function open() {
  const shapes = new KnownShapes({}, models, new Map([['Item', { ttl: '1h' }]]))
  return (computed?: ComputedFields): ResultShape['preference'] => {
    const client = { _extensions: { getAllComputedFields: () => computed } }
    return shapes.of(client, { params, args: { where: { name: 'a' } } }).preference
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
