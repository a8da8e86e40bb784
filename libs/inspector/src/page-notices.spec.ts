/** The modules of the page are JavaScript, as browsers load them. */
const load = (name: string): Promise<Record<string, (...input: unknown[]) => unknown>> =>
  import(`./page/${name}`)

const at = '2026-11-23T02:00:00.000Z'
const before = (seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString()

type Counts = Record<string, number>

interface Cache {
  readonly name: string
  readonly queries?: { answered?: number; results?: number; shadowed?: number; bypassed?: Counts }
  readonly missing?: readonly { field: string; because: string }[] | null
  readonly audits?: Counts
  /** Other figures of the last five minutes. */
  readonly figures?: object
  readonly unproven?: string
  /** Its lookups, whose figures are said in the same way. */
  readonly lookups?: readonly Pick<Cache, 'name' | 'audits' | 'figures'>[]
}

function store(openCircuits = { reads: 0, writes: 0 }, more = {}) {
  return { root: null, kind: 'valkey', address: '10.0.0.7:6379', mode: 'available', openCircuits, ...more }
}

function reportOf(caches: readonly Cache[], process: object = {}) {
  const figuresOf = ({ audits = {}, queries = {} }: Cache) => ({
    queries: { answered: 0, results: 0, shadowed: 0, bypassed: {}, ...queries },
    audits,
  })
  const figuresOver = (cache: Cache) => ({
    sinceStart: figuresOf(cache),
    lastHour: figuresOf(cache),
    last5Minutes: {
      failedLoads: 0,
      timedOutLoads: 0,
      loads: 9,
      missMs: null,
      fills: {},
      misses: {},
      ...cache.figures,
    },
    recent: null,
  })
  const all = caches.map((cache) => ({
    name: cache.name,
    root: null,
    fingerprints: [{ fingerprint: 'aaaaaaaabbbb', processes: ['p1'] }],
    options: { follow: cache.name === 'Required' ? 'required' : null },
    figures: figuresOver(cache),
    lookups: (cache.lookups ?? []).map((lookup) => ({ name: lookup.name, figures: figuresOver(lookup) })),
  }))
  const eventLoop = { blocks: [], blockTotals: { last5Minutes: [] } }
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
    self: 'p1',
    silent: [] as object[],
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
        eventLoop,
        stores: [store()],
        caches: caches.map(({ missing, name, unproven = null }) => ({
          ...own,
          unproven,
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
  readonly short?: string
  readonly users?: string
  readonly remedy?: readonly (string | { readonly text: string })[]
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

  it('are stale rows that audits found', async () => {
    expect(await noticesOf(reportOf([{ name: 'Lot', audits: { stale: 2, fresh: 9 } }]))).toEqual([
      ['problem', 'Lot: audits found 2 stored rows stale in the last hour. Some write was not heard.'],
    ])
  })

  it('comes in order of urgency: problems, advice, news', async () => {
    const change = (state: string) => ({ at: before(5), side: 'reads', state, reason: 'timeout' })
    const report = reportOf([{ name: 'User', missing: email }], {
      startedAt: before(20),
      storeChanges: [change('down'), change('up')],
      stores: [store({ reads: 1, writes: 0 })],
      follow: [{ root: null, state: 'nobody' }],
      eventLoop: {
        blocks: [{ at: before(9), holder: 'Lot load', ms: 300, stack: [] }],
        blockTotals: { last5Minutes: [{ holder: 'Lot load', blocks: 1, ms: 300 }] },
      },
    })
    expect((await noticesOf(report)).map(([kind, text]) => [kind, text.slice(0, 40)])).toEqual(
      [
        ['problem', 'Valkey at 10.0.0.7:6379 does not answer reads of web-1'],
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

describe('an incident', () => {
  const incidentsOf = async (report: object) => {
    const notices = (await load('notices.js')).noticesOf!(report) as readonly Notice[]
    const textOf = (parts: Notice['remedy'] = []) =>
      parts.map((part) => (typeof part === 'string' ? part : part.text)).join('')
    return notices
      .filter(({ kind }) => kind === 'problem')
      .map(({ parts, remedy, short, users }) => [short, textOf(parts), users, textOf(remedy)])
  }
  const down = (reason: string, mode = 'available') => ({
    storeChanges: ['writes', 'reads'].map((side) => ({ at: before(400), side, state: 'down', reason })),
    stores: [store({ reads: 1, writes: 1 }, { mode })],
  })
  const silent = { id: 'p2', host: 'web-2', pid: 2, lastAt: before(20) }

  it('is a store that does not answer, for as long as it does not, above what follows from it', async () => {
    const report = reportOf([], {
      ...down('there is no connection'),
      follow: [{ root: null, state: 'nobody' }],
    })
    expect(await incidentsOf({ ...report, silent: [silent] })).toEqual([
      [
        'Valkey does not answer',
        expect.stringMatching(
          /^Valkey at 10\.0\.0\.7:6379 does not answer reads and writes of web-1 \(there is no connection\), since .*, 6 min 40 s ago\.$/,
        ),
        'Reads go to the database: the answers are right, and slower. Writes work; until it is back, processes that still reach it may ' +
          'answer with rows from before them.',
        expect.stringMatching(
          /^Check that the server at 10\.0\.0\.7:6379 runs, and .* nothing needs to be done/,
        ),
      ],
      [
        undefined,
        expect.stringMatching(/^Therefore web-2 cannot be asked.*those of web-1 alone\.$/),
        undefined,
        '',
      ],
    ])
  })

  it.each([
    ['NOAUTH Authentication required.', 'Correct the user'],
    ['OOM command not allowed', 'The server is full'],
    ['the server is a replica', 'The address leads to a replica'],
    ['no answer within the deadline', 'The server is busy'],
  ])('says what to do about a store that says %s', async (reason, remedy) => {
    const [[, , users, advice] = []] = await incidentsOf(reportOf([], down(reason, 'strict')))
    expect(users).toContain('Writes fail with a FenceError')
    expect(advice).toMatch(new RegExp(`^${remedy}`))
  })

  it('is one of all processes that share the store', async () => {
    const [own] = reportOf([], down('timeout')).processes
    const report = { ...reportOf([]), processes: [own, { ...own!, id: 'p2', host: 'web-2' }] }
    const found = await incidentsOf(report)
    expect(found.map(([short]) => short)).toEqual(['Valkey does not answer'])
    expect(found[0]![1]).toContain('of all 2 processes that answer')
  })

  it('is a process that stopped answering, where the store answers', async () => {
    expect(await incidentsOf({ ...reportOf([]), silent: [silent] })).toEqual([
      [undefined, expect.stringContaining('web-2 is silent'), undefined, ''],
    ])
  })

  it('is an event loop that blocks take a part of, in place of their news', async () => {
    const blocks = [{ at: before(1), holder: 'Lots.report', ms: 900, stack: [] }]
    const total = (ms: number) => [
      { holder: 'Lots.report', blocks: 20, ms },
      { holder: 'none', blocks: 1, ms: 200 },
    ]
    const found = (ms: number) =>
      noticesOf(reportOf([], { eventLoop: { blocks, blockTotals: { last5Minutes: total(ms) } } }))
    expect(await found(14_799)).toEqual([['news', expect.stringContaining('Lots.report blocked')]])
    expect(await found(14_800)).toEqual([
      [
        'problem',
        'web-1: the event loop was blocked for 15 s of the last 5 min, most of it by Lots.report (20 times, 15 s).',
      ],
    ])
  })

  it.each<[what: string, cache: Omit<Cache, 'name'>, short: string | undefined, text: string]>([
    [
      'loads that fail',
      { figures: { failedLoads: 3, timedOutLoads: 2 } },
      'Loads fail',
      'Lot: 3 of 9 loads failed, and 2 took longer than loadTimeoutMs in the last 5 min.',
    ],
    [
      'a slow database',
      { figures: { loads: 10, missMs: { p50: 500, p99: 900 } } },
      'The database is slow',
      'Reads that go to the database take up to 500 ms (median of the last 5 min): Lot.',
    ],
    [
      'a codec that failed its proof',
      { unproven: 'Its codec is wrong.' },
      'Rows are not cached',
      'Lot stores no rows in web-1: Its codec is wrong.',
    ],
    [
      'rows that are never stored',
      { figures: { fills: { refused: 9, not_leased: 1 } } },
      'Rows are not cached',
      'Lot: of 10 rows that were loaded in the last 5 min none was stored, most of them refused. Not stored: the row does not match its schema.',
    ],
    [
      'rows that cannot be decoded',
      { figures: { misses: { undecodable: 1_000 } } },
      'Stored rows cannot be read',
      'Lot: 1,000 stored rows could not be decoded in the last 5 min.',
    ],
  ])('is %s', async (_, cache, short, text) => {
    const [found, ...others] = await incidentsOf(reportOf([{ name: 'Lot', ...cache }]))
    expect([found!.slice(0, 2), others]).toEqual([[short, text], []])
    expect([found![2], found![3]]).not.toContain('')
  })

  it.each<[what: string, lookup: Omit<Cache, 'name'>, text: string]>([
    ['loads that fail', { figures: { failedLoads: 3 } }, 'Lot: 3 of 18 loads failed in the last 5 min.'],
    [
      'a slow database',
      { figures: { loads: 10, missMs: { p50: 500, p99: 900 } } },
      'Reads that go to the database take up to 500 ms (median of the last 5 min): Lot.open.',
    ],
    [
      'lists that are too long to be stored',
      { figures: { fills: { too_long: 10 } } },
      'Lot.open: of 10 entries that were loaded in the last 5 min none was stored, most of them too_long. Not stored: the list has ' +
        'more than maxRows rows.',
    ],
    [
      'entries that cannot be decoded',
      { figures: { misses: { undecodable: 7 } } },
      'Lot.open: 7 stored entries could not be decoded in the last 5 min.',
    ],
    [
      'entries that audits found to be stale',
      { audits: { stale: 1 } },
      'Lot.open: audits found 1 stored entry stale in the last hour. Some write was not heard.',
    ],
  ])('is also %s of a lookup', async (_, lookup, text) => {
    const report = reportOf([{ name: 'Lot', lookups: [{ name: 'open', ...lookup }] }])
    expect((await incidentsOf(report)).map(([, found]) => found)).toEqual([text])
  })

  it.each([
    { loads: 9, missMs: { p50: 900, p99: 900 } },
    { loads: 99, missMs: { p50: 499, p99: 9_000 } },
    { fills: { refused: 9 } },
    { fills: { refused: 99, stored: 1 } },
    { fills: { not_leased: 99 } },
  ])('is not what is ordinary: %j', async (figures) => {
    expect(await incidentsOf(reportOf([{ name: 'Lot', figures }]))).toEqual([])
  })

  it('is a database that nobody follows, with the caches that need it', async () => {
    const report = reportOf([{ name: 'Required' }], { follow: [{ root: null, state: 'nobody' }] })
    expect(await incidentsOf(report)).toEqual([
      [
        'The database is not followed',
        'Nobody follows the writes outside Prisma. web-1 says so.',
        expect.stringContaining("Required read from the database (follow: 'required')."),
        expect.stringContaining('log of the processes'),
      ],
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
    const counted = { answered: 4, results: 2, shadowed: 2, bypassed: { order: 3, fields: 9, paging: 0 } }
    expect(bypassesOf!(counted)).toEqual({
      total: 20,
      bypassed: 12,
      share: 0.6,
      reasons: [
        { reason: 'fields', count: 9 },
        { reason: 'order', count: 3 },
      ],
    })
    expect(bypassesOf!({ answered: 0, results: 0, shadowed: 0, bypassed: {} })).toBeNull()
  })

  it('are all explained', async () => {
    const { QUERY_OUTCOMES } = (await load('queries.js')) as unknown as { QUERY_OUTCOMES: object }
    const { readFileSync } = await import('node:fs')
    const page = readFileSync(new URL('../../../docs/transparent-reads.md', import.meta.url), 'utf8')
    const outcomes = page.slice(page.indexOf('| `outcome`'), page.indexOf('Raw queries are not counted'))
    const documented = [...outcomes.matchAll(/^\| `(\w+)` /gm)].map(([, reason]) => reason!).slice(1)
    expect(documented.length).toBeGreaterThan(10)
    expect(Object.keys(QUERY_OUTCOMES)).toEqual(expect.arrayContaining(documented))
  })
})

describe('outcomes of loads and audits', () => {
  it.each([
    ['FILL_OUTCOMES', 'model_cache_fills_total'],
    ['AUDIT_OUTCOMES', 'model_cache_audits_total'],
  ])('are all explained in %s', async (words, metric) => {
    const explained = (await load('words.js'))[words]!
    const { readFileSync } = await import('node:fs')
    const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
    const [, outcomes = ''] = new RegExp(`^- \`${metric}\`:(.*?)^- `, 'ms').exec(page) ?? []
    const documented = [...outcomes.matchAll(/`([a-z_]+)`/g)].map(([, outcome]) => outcome!)
    expect(Object.keys(explained).toSorted()).toEqual(documented.toSorted())
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
