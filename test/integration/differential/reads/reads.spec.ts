import { openReadClients } from './clients.ts'
import { compareReads } from './compare-reads.ts'
import { describeOn } from '../../../support/describe-databases.ts'
import { useOpened } from '../../../support/use-opened.ts'

const title = 'random reads of every form on $name, through a client with cached reads and a plain one,'

describeOn(['postgresql'], title, ({ name }) => {
  const clients = useOpened(() => openReadClients(name))

  it('have the same results and errors, however they end, also after writes', async () => {
    const { reads, ends, difference } = await compareReads(clients, 1, 1_000)
    expect(difference).toBeUndefined()
    expect(ends.succeeded).toBeGreaterThan(reads / 2)

    // What was compared: answers of each cache, and queries that went to the database for each reason.
    const counts = new Map<string, number>()
    for (const [name, count] of clients.outcomes) {
      for (const part of name.split(' ')) counts.set(part, (counts.get(part) ?? 0) + count)
    }
    expect(counts.get('answered')).toBeGreaterThan(0.3 * reads)
    const answered = [...clients.outcomes.keys()].filter((name) => name.endsWith(' answered'))
    // Not Code: the spelling of its ids is not what the database stores.
    expect(answered.map((name) => name.split(' ')[0])).toEqual(
      expect.arrayContaining([
        'Article',
        'Everything',
        'Lists',
        'Maybe',
        'Pass',
        'Person',
        'Review',
        'Seat',
        'Word',
      ]),
    )
    // Writes end entries, so that a few lookups of a run may find none to answer from.
    const readable = clients.dialect.lookups.map(({ model, name }) => `${model}.${name}`)
    const found = readable.filter((name) => clients.lookupsRead.has(name))
    expect(found.length).toBeGreaterThan(readable.length * 0.8)
    const reasons = [
      'transaction',
      'condition',
      'id_value',
      'relations',
      'fields',
      'order',
      'paging',
      'argument',
      'not_found',
      'uncached',
      'error',
    ]
    expect(reasons.filter((reason) => !counts.has(reason))).toEqual([])
  }, 300_000)
})

describeOn(['mysql', 'sqlite'], title, ({ name }) => {
  const clients = useOpened(() => openReadClients(name))

  it('have the same results and errors, in the same order', async () => {
    const { difference } = await compareReads(clients, 1, 120)
    expect(difference).toBeUndefined()
    expect([...clients.outcomes.keys()].filter((name) => name.endsWith(' answered'))).not.toEqual([])
    expect(clients.lookupsRead.size).toBeGreaterThan(0)
  }, 300_000)
})

describeOn(
  ['postgresql', 'mysql', 'sqlite'],
  `${title} which keep results of queries as well,`,
  ({ name }) => {
    const clients = useOpened(() => openReadClients(name, { keepsResults: true }))

    it('have the same results and errors, in the same order', async () => {
      const { difference } = await compareReads(clients, 1, name === 'postgresql' ? 600 : 120)
      expect(difference).toBeUndefined()
      const kept = [...clients.outcomes.keys()].filter((outcome) => outcome.endsWith(' results store hit'))
      expect(kept.length).toBeGreaterThan(name === 'postgresql' ? 10 : 3)
    }, 300_000)
  },
)
