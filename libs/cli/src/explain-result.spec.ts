import { type DescribedCache, describeSchemaText, modelPrintOf, resultPrintOf } from 'model-cache/internal'
import { answeringNode, answeringNodes } from '../../../test/support/answering-node.js'
import { explainResult } from './explain-result.js'

const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
const facts = describeSchemaText(`
  model Item {
    id Int @id
    ${fields.map((field) => `${field} Int`).join('\n')}
  }
`)
const print = modelPrintOf(facts, 'Item')

function described(name: string): DescribedCache {
  const id = [{ name: 'digest', kind: 'string' }] as const
  const parts = { id, buckets: 1, dependsOn: [], lookups: [], tables: undefined }
  return {
    name,
    fingerprint: print,
    affectedBy: undefined,
    description: { name, model: 'Item', ...parts },
    layout: name,
  }
}

/** What is said of `Item.findMany({})` where some processes end results by these fields. @param stored under which keys */
async function explained(by: readonly string[], stored: (key: string) => boolean = () => false) {
  const node = answeringNode({ GET: (_: string, key: string) => (stored(key) ? 'damaged' : null) })
  const names = ['Item.results', ...by.map((field) => `Item.results.${field}`)]
  const result = await explainResult(
    { nodes: answeringNodes([node]), namespace: 'mc', listed: { epoch: 'e', caches: names.map(described) } },
    facts,
    { model: 'Item', action: 'findMany', args: {} },
    ['Item'],
  )
  return { result, sent: node.sent }
}

const printOf = (by: readonly string[]): string =>
  resultPrintOf({ own: '', models: [{ print, by }], form: undefined })

it('looks for a result under the key of each order of the fields, of all of them first', async () => {
  const { result, sent } = await explained(['a', 'b'])
  expect(sent).toEqual(
    [['a', 'b'], ['b', 'a'], ['a'], ['b'], []].map((by) => expect.stringMatching(`:${printOf(by)}$`)),
  )
  expect(result).toEqual({
    key: sent[0]!.slice('GET '.length),
    stored: { isHit: false, reason: 'not_cached' },
    endedBy: [],
  })
})

it('explains the first one that is stored', async () => {
  const { result } = await explained(['a', 'b', 'c'], (key) =>
    [['c', 'a'], ['b']].some((by) => key.endsWith(`:${printOf(by)}`)),
  )
  expect(result).toEqual({
    key: expect.stringMatching(`:${printOf(['c', 'a'])}$`),
    stored: { isHit: false, reason: 'undecodable' },
    endedBy: [],
  })
})

it('looks under ten thousand keys, and does not say of more that nothing is stored', async () => {
  const { result, sent } = await explained(fields)
  expect(result).toEqual({ unknown: 'keys' })
  expect(sent).toHaveLength(10_000)
  const last = sent.at(-1)!.slice('GET '.length)
  expect((await explained(fields, (key) => key === last)).result).toMatchObject({ key: last })
})
