/** The modules of the page are JavaScript, as browsers load them. */
const load = (name: string): Promise<Record<string, (...input: unknown[]) => unknown>> =>
  import(`./page/${name}`)

const at = '2026-11-23T02:00:00.000Z'
const before = (seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString()

type Counts = Record<string, number>

interface Cache {
  readonly name: string
  readonly queries?: { answered?: number; shadowed?: number; bypassed?: Counts }
  readonly missing?: readonly { field: string; because: string }[] | null
  readonly audits?: Counts
  readonly failedLoads?: number
}

function reportOf(caches: readonly Cache[], process: object = {}) {
  const figuresOf = ({ audits = {}, queries = {} }: Cache) => ({
    queries: { answered: 0, shadowed: 0, bypassed: {}, ...queries },
    audits,
  })
  const all = caches.map((cache) => ({
    name: cache.name,
    root: null,
    fingerprints: [{ fingerprint: 'aaaaaaaabbbb', processes: ['p1'] }],
    figures: {
      sinceStart: figuresOf(cache),
      recent: { failedLoads: cache.failedLoads ?? 0, loads: 9 },
    },
  }))
  const own = {
    fingerprint: 'aaaaaaaabbbb',
    epoch: 'e',
    mayFill: true,
    mayFillInMs: 0,
    pendingInvalidations: 0,
    l1: null,
    isFollowed: null,
  }
  return {
    at,
    silent: [],
    caches: all,
    processes: [
      {
        id: 'p1',
        host: 'web-1',
        pid: 1,
        startedAt: before(9_000),
        warnings: [],
        storeChanges: [],
        follow: [],
        eventLoop: { blocks: [] },
        stores: [{ root: null, kind: 'valkey', openCircuits: { reads: 0, writes: 0 } }],
        caches: caches.map(({ missing, name }) => ({
          ...own,
          name,
          root: null,
          coverage: missing === undefined ? null : { mode: 'answer', canAnswer: true, missing },
        })),
        ...process,
      },
    ],
  }
}

interface Notice {
  readonly kind: string
  readonly parts: readonly (string | { readonly text: string; readonly href: string })[]
}

async function noticesOf(report: object): Promise<readonly [kind: string, text: string][]> {
  const notices = (await load('notices.js')).noticesOf!(report) as readonly Notice[]
  return notices.map(({ kind, parts }) => [
    kind,
    parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
  ])
}

describe('what needs attention', () => {
  const email = [{ field: 'email', because: 'omitted' }]
  const images = { field: 'images', because: 'reshaped' }

  it('is nothing where all is well', async () => {
    expect(await noticesOf(reportOf([{ name: 'Lot', missing: [], queries: { answered: 9 } }]))).toEqual([])
  })

  it('is a model whose queries can never be cached, before the first query', async () => {
    expect(await noticesOf(reportOf([{ name: 'User', missing: email }]))).toEqual([
      [
        'advice',
        'User answers no query without select: its rows do not have email (omit, or not selected). The database answers every such query.',
      ],
    ])
    const both = await noticesOf(
      reportOf([{ name: 'User', missing: [...email, images], queries: { bypassed: { fields: 1_200 } } }]),
    )
    expect(both[0]![1]).toBe(
      'User answers no query without select: its rows do not have email (omit, or not selected), and its rows have only the named ' +
        'keys of images (refine). The database answers every such query. So far 1,200 have.',
    )
  })

  it('is not a model whose queries select what the cache has', async () => {
    const selected = { answered: 5, bypassed: { condition: 2 } }
    expect(await noticesOf(reportOf([{ name: 'User', missing: email, queries: selected }]))).toEqual([])
    const some = { answered: 5, bypassed: { fields: 2 } }
    expect(await noticesOf(reportOf([{ name: 'User', missing: email, queries: some }]))).toHaveLength(1)
  })

  it('names five of the missing fields', async () => {
    const missing = 'abcdefg'.split('').map((field) => ({ field, because: 'omitted' }))
    const [[, text] = ['', '']] = await noticesOf(reportOf([{ name: 'User', missing }]))
    expect(text).toContain('do not have a, b, c, d, e and 2 others (omit')
  })

  it('is a cache that has answered none of many queries', async () => {
    const queries = (condition: number) => ({ bypassed: { order: 20, condition } })
    expect(await noticesOf(reportOf([{ name: 'Lot', missing: [], queries: queries(79) }]))).toEqual([])
    expect(await noticesOf(reportOf([{ name: 'Lot', missing: [], queries: queries(80) }]))).toEqual([
      ['advice', 'Lot: the database answered all of 100 queries, 80 of them because of condition.'],
    ])
  })

  it('are stale rows that audits found, and loads that fail now', async () => {
    const report = reportOf([{ name: 'Lot', audits: { stale: 2, fresh: 9 }, failedLoads: 3 }])
    expect(await noticesOf(report)).toEqual([
      ['problem', 'Lot: 3 of 9 loads failed in the last seconds.'],
      ['problem', 'Lot: audits found 2 stored rows stale since the start. Some write was not heard.'],
    ])
  })

  it('comes in order of urgency: problems, advice, news', async () => {
    const change = (state: string) => ({ at: before(5), side: 'reads', state, reason: 'timeout' })
    const report = reportOf([{ name: 'User', missing: email }], {
      startedAt: before(20),
      storeChanges: [change('down'), change('up')],
      follow: [{ root: null, state: 'nobody' }],
      eventLoop: { blocks: [{ at: before(9), holder: 'Lot load', ms: 300, stack: [] }] },
    })
    expect((await noticesOf(report)).map(([kind, text]) => [kind, text.slice(0, 40)])).toEqual(
      [
        ['problem', 'web-1: the store does not answer reads (t'],
        ['problem', 'web-1: nobody follows the writes outside P'],
        ['advice', 'User answers no query without select: it'],
        ['news', 'web-1: Lot load blocked the event loop fo'],
        ['news', 'web-1 started 20 s ago: its memory is emp'],
      ].map(([kind, text]) => [kind, text!.slice(0, 40)]),
    )
    const up = reportOf([], { storeChanges: [change('up'), change('down')] })
    expect(await noticesOf(up)).toEqual([
      ['news', expect.stringContaining('web-1: the store answers reads again (timeout)')],
    ])
  })
})

describe('what follows the writes outside Prisma', () => {
  const following = { root: null, state: 'following', lagMs: 4, isStandby: false, standbyLagMs: null }

  it.each([
    ['a primary', {}, 'writes outside Prisma are followed, 4.0 ms behind'],
    [
      'a standby',
      { isStandby: true, standbyLagMs: 1_500 },
      'writes outside Prisma are followed, 4.0 ms behind; from a standby, 1.5 s behind its primary',
    ],
    [
      'a standby without the address of its primary',
      { isStandby: true, root: 'reports' },
      'reports: writes outside Prisma are followed, 4.0 ms behind; from a standby, whose own lag is unknown',
    ],
    ['nobody', { state: 'nobody', lagMs: null }, 'nobody follows the writes outside Prisma'],
  ])('is said of %s', async (_, follow, text) => {
    expect((await load('notices.js')).describeFollow!({ ...following, ...follow })).toBe(text)
  })
})

describe('queries by what became of them', () => {
  it('have their reasons in order, and the share that the database answered', async () => {
    const { bypassesOf } = await load('queries.js')
    const counted = { answered: 6, shadowed: 2, bypassed: { order: 3, fields: 9, paging: 0 } }
    expect(bypassesOf!(counted)).toEqual({
      total: 20,
      bypassed: 12,
      share: 0.6,
      reasons: [
        { reason: 'fields', count: 9 },
        { reason: 'order', count: 3 },
      ],
    })
    expect(bypassesOf!({ answered: 0, shadowed: 0, bypassed: {} })).toBeNull()
  })

  it('are all explained', async () => {
    const { QUERY_OUTCOMES } = (await load('queries.js')) as unknown as { QUERY_OUTCOMES: object }
    const { readFileSync } = await import('node:fs')
    const page = readFileSync(new URL('../../../../docs/transparent-reads.md', import.meta.url), 'utf8')
    const outcomes = page.slice(page.indexOf('| `outcome`'), page.indexOf('Raw queries are not counted'))
    const documented = [...outcomes.matchAll(/^\| `(\w+)` /gm)].map(([, reason]) => reason!).slice(1)
    expect(documented.length).toBeGreaterThan(10)
    expect(Object.keys(QUERY_OUTCOMES)).toEqual(expect.arrayContaining(documented))
  })
})

describe('the description of a lookup', () => {
  const definition = { through: null, where: null, orderBy: [], limit: null, maxRows: null }
  const keyFields = [{ name: 'lotId' }, { name: 'state' }]

  it.each([
    [{ kind: 'unique', definition }, 'The one row of a lotId and state.'],
    [
      { kind: 'list', definition: { ...definition, orderBy: ['amount desc', 'id asc'], limit: 10 } },
      'Rows with the same lotId and state, in the order amount desc, id asc, at most 10.',
    ],
    [
      {
        kind: 'list',
        definition: {
          ...definition,
          where: '{"open":true}',
          orderBy: ['id asc'],
          maxRows: 1_000,
          through: 'tags',
        },
      },
      'Rows that tags connects with the same lotId and state, which fulfil {"open":true}, in the order id asc; a list of more than ' +
        '1,000 rows is never stored.',
    ],
  ])('says which rows it finds: %j', async (lookup, text) => {
    const { describeLookup } = await load('lookups.js')
    expect(describeLookup!({ ...lookup, keyFields })).toBe(text)
  })
})
