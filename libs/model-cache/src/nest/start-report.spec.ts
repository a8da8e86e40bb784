import { AtRest, MemoryStore } from '../protocol/index.js'
import { startReportOf } from './start-report.js'

const nameAt = (i: number): string => `Cache${i}`

it.each([
  [20, `20 caches (${Array.from({ length: 20 }, (_, i) => nameAt(i)).join(', ')})`],
  [22, `22 caches (${Array.from({ length: 20 }, (_, i) => nameAt(i)).join(', ')} and 2 more)`],
])('names at most twenty caches of %d', (count, expected) => {
  const caches = Array.from({ length: count }, (_, i) => ({ name: nameAt(i), model: 'Post' }))
  const { line, warnings } = startReportOf({
    name: undefined,
    namespace: 'mc',
    caches,
    prisma: undefined,
    database: undefined,
    store: new MemoryStore(),
    atRest: undefined,
  })
  expect(line).toBe(`${expected}, namespace "mc", memory.`)
  expect(warnings).toEqual([])
})

it.each([
  [undefined, undefined, 'encrypted (all models)'],
  [['User', 'Bid'], true, 'encrypted (User, Bid, ids hashed)'],
])('says what is encrypted: %s, hashed %s', (models, hashKeys, expected) => {
  const { line } = startReportOf({
    name: undefined,
    namespace: 'mc',
    caches: [],
    prisma: undefined,
    database: undefined,
    store: new MemoryStore(),
    atRest: AtRest.of({
      keys: [{ id: 'a', key: Buffer.alloc(32) }],
      ...(models && { models }),
      ...(hashKeys && { hashKeys }),
    }),
  })
  expect(line).toBe(`no caches, ${expected}, namespace "mc", memory.`)
})
