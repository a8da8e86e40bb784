import { jest } from '@jest/globals'
import type { CacheName } from './report.js'
import type { EntryReport, RowReport } from './row-report.js'

/** The modules of the page are JavaScript, as browsers load them. */
const load = (name: string): Promise<Record<string, (...input: unknown[]) => unknown>> =>
  import(`./page/${name}`)

const at = '2026-11-23T02:00:00.000Z'
const before = (seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString()

describe('an id that is typed', () => {
  const textOf = async (...fields: readonly { name: string; kind: string; value: string }[]) => {
    const { typedText } = await load('typed-text.js')
    return typedText!(fields, Object.fromEntries(fields.map(({ name, value }) => [name, value])))
  }

  it('keeps the blanks around a text, and drops those around other values', async () => {
    const text = { name: 'code', kind: 'string', value: ' A 1 ' }
    const number = { name: 'lot', kind: 'number', value: ' 7 ' }
    expect([await textOf(text), await textOf(number)]).toEqual([' A 1 ', '7'])
    expect(JSON.parse((await textOf(text, number)) as string)).toEqual({ code: ' A 1 ', lot: '7' })
  })
})

describe('an invalidation by the page', () => {
  afterEach(() => jest.restoreAllMocks())

  it.each<[of: string, fetch: () => Promise<Response>, announced: string]>([
    [
      'the application refuses',
      async () => Response.json({ error: { message: 'The id is no number.' } }, { status: 400 }),
      'Nothing was invalidated. The id is no number.',
    ],
    [
      'a proxy gives up',
      async () => new Response('', { status: 504 }),
      'It is unknown whether that was invalidated: repeat it. The application cannot answer (504).',
    ],
    [
      'has no answer',
      () => Promise.reject(new TypeError('fetch failed')),
      'It is unknown whether that was invalidated: repeat it. The application does not answer.',
    ],
  ])('that %s says what is known', async (_, fetch, announced) => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(fetch)
    const { askToInvalidate } = await load('views/actions.js')
    const said: string[] = []
    const context = { announce: (text: string) => said.push(text), confirm: async () => true }
    expect(await askToInvalidate!(context, { name: 'Lot', root: null }, { id: 'x' })).toBe(false)
    expect(said).toEqual([announced])
  })
})

describe('a request of the page', () => {
  afterEach(() => jest.restoreAllMocks())

  const aborted = ({ signal }: { signal?: AbortSignal | null } = {}): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

  it.each<[answer: string, fetch: typeof globalThis.fetch]>([
    ['no answer', (_, init) => aborted(init)],
    ['a part of one', async (_, init) => ({ ok: true, json: () => aborted(init) }) as unknown as Response],
  ])('of a process that hangs ends where there is %s', async (_, fetch) => {
    const expiry = new AbortController()
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(expiry.signal)
    jest.spyOn(globalThis, 'fetch').mockImplementation(fetch)
    const { findCaches } = await load('api.js')
    const asking = findCaches!() as Promise<unknown>
    expect(timeout).toHaveBeenCalledTimes(1)
    await new Promise(setImmediate)
    expiry.abort()
    await expect(asking).rejects.toMatchObject({ status: 0, message: 'The application does not answer.' })
  })
})

describe('the answer of the page', () => {
  const quiet = {
    isInvalidationPending: false,
    l1: null,
    lastMiss: null,
    lastWrite: null,
    lastUnknownWrite: null,
  }
  const knows = (knowledge: object) => ({ ...quiet, process: 'p1', host: 'web-1', pid: 1, ...knowledge })
  const answerTo = async (report: object): Promise<unknown> => {
    const { answerOf } = await load('answers.js')
    const names = new Map([
      ['p1', 'web-1'],
      ['p2', 'web-2'],
    ])
    const row = { at, guard: 'none', mayFill: true, processes: [knows({})], ...report }
    return answerOf!(row, names)
  }
  const hit = { isHit: true, storedAt: before(12), expiresAt: before(-588), bytes: 9 }
  const miss = { isHit: false, reason: 'not_cached' }

  it.each<
    [
      of: string,
      report: Partial<Record<keyof RowReport | keyof EntryReport | 'maxRows', unknown>>,
      answer: string,
    ]
  >([
    [
      'a stored row',
      { stored: hit },
      'A read would be answered by the store: the row is 12 s old and expires in 9 min 48 s.',
    ],
    [
      'a row that was missed before it was stored',
      { stored: hit, processes: [knows({ lastMiss: { at: before(13), reason: 'expired' } })] },
      'A read would be answered by the store: the row is 12 s old and expires in 9 min 48 s. ' +
        'web-1 last read it from the database 13 s ago (expired).',
    ],
    [
      'a row that a process has in memory',
      { stored: hit, processes: [knows({ l1: { isHeld: true, isTrusted: true } })] },
      'A read in web-1 would be answered by the memory of the process. ' +
        'In other processes, a read would be answered by the store: the row is 12 s old and expires in 9 min 48 s.',
    ],
    [
      'a negative entry',
      { stored: hit, comparison: { outcome: 'same', exists: false } },
      'A read would be answered by the store: the entry that says that there is no such row is 12 s old and expires in 9 min 48 s.',
    ],
    [
      'an unknown row',
      { stored: miss, comparison: { outcome: 'notStored', exists: false } },
      'A read goes to the database. Not in the store: never stored, invalidated, expired or evicted. ' +
        'The database has no such row.',
    ],
    [
      'a row that two processes have written, by the later write',
      {
        stored: miss,
        processes: [
          knows({ lastWrite: { at: before(9), by: 'this process' } }),
          knows({ process: 'p2', lastWrite: { at: before(3), by: 'log' } }),
        ],
      },
      'A read goes to the database. It was invalidated 3.0 s ago by the follower, which read a write in the log of the database, ' +
        'and has not been stored since.',
    ],
    [
      'a row of a write under way',
      { stored: miss, guard: 'fences' },
      'A read goes to the database. A write to it is under way, and nothing is stored until the write has ended.',
    ],
    [
      'a row that is being loaded',
      { stored: miss, guard: 'lease' },
      'A read waits for the process that is loading it now.',
    ],
    [
      'a row of a process that may not store',
      { stored: { isHit: false, reason: 'undecodable' }, mayFill: false },
      'A read goes to the database. Damaged, or written by another version. ' +
        'What is loaded is not stored, because this process may not store rows now.',
    ],
    [
      'a row whose invalidation is pending',
      { stored: hit, processes: [knows({ isInvalidationPending: true })] },
      'A read in web-1 goes to the database: an invalidation has not reached the store yet.',
    ],
    [
      'a row of which all were invalidated, by when that was',
      {
        stored: { isHit: false, reason: 'invalidated' },
        processes: [knows({ lastUnknownWrite: { at: before(5), what: 'all' } })],
      },
      'A read goes to the database. 5.0 s ago web-1 invalidated all rows: it was asked to, wrote rows that it could not name, or ' +
        'may have missed changes.',
    ],
    [
      'a stored entry',
      { lookup: 'open', stored: hit, ids: ['1', '2'], comparison: { outcome: 'same', sourceRows: 2 } },
      'A read would be answered by the store: the entry, which names 2 rows, is 12 s old and expires in 9 min 48 s.',
    ],
    [
      'a stored entry with a row that has left',
      { lookup: 'open', stored: hit, ids: ['1'], comparison: { outcome: 'outdated', sourceRows: 0 } },
      'A read finds the entry in the store, and loads it again: one of its rows no longer belongs to it, or has moved.',
    ],
    [
      'an entry that is not stored',
      { lookup: 'open', stored: miss, ids: null, comparison: { outcome: 'notStored', sourceRows: 1 } },
      'A read goes to the database. Not in the store: never stored, invalidated, expired or evicted. ' +
        'The database has 1 row for the key.',
    ],
    [
      'a list that is too long to be stored',
      {
        lookup: 'open',
        stored: miss,
        ids: null,
        comparison: { outcome: 'notStored', sourceRows: 1_200 },
        maxRows: 1_000,
      },
      'A read goes to the database. The list has 1,200 rows, and is never stored with more than 1,000 (maxRows).',
    ],
    [
      'a store that does not answer',
      { stored: { isHit: null, error: 'timeout' } },
      'A read goes to the database, because the store does not answer (timeout).',
    ],
  ])('explains %s', async (_of, report, answer) => {
    expect(await answerTo(report)).toBe(answer)
  })
})

describe('the state of a cache on the page', () => {
  const cache = { name: 'Lot', root: null, fingerprints: [{ fingerprint: 'aaaaaaaabbbb', processes: [] }] }
  const own = {
    name: 'Lot',
    root: null,
    fingerprint: 'aaaaaaaabbbb',
    epoch: 'e',
    mayFill: true,
    mayFillInMs: 0,
    pendingInvalidations: 0,
    l1: null,
    isFollowed: null,
  }
  const process = (id: string, changes: object = {}, openCircuits = { reads: 0, writes: 0 }) => ({
    id,
    stores: [{ root: null, kind: 'valkey', openCircuits }],
    caches: [{ ...own, ...changes }],
  })
  const stateOf = async (processes: object[], of: object = cache): Promise<unknown> =>
    (await load('states.js')).stateOf!(of, { processes })

  it('is that of all processes where they agree', async () => {
    const state = { words: ['stores rows'], isGood: true, differing: [] }
    expect(await stateOf([process('p1'), process('p2')])).toEqual(state)
  })

  it('is that of most processes, and names the others with their words', async () => {
    const down = process('p2', { epoch: null, mayFill: false }, { reads: 1, writes: 0 })
    const state = await stateOf([
      process('p1'),
      down,
      process('p3', { pendingInvalidations: 3 }),
      process('p4'),
    ])
    expect(state).toEqual({
      words: ['stores rows'],
      isGood: false,
      differing: [
        expect.objectContaining({ id: 'p2', words: ['Valkey unavailable'] }),
        expect.objectContaining({ id: 'p3', words: ['stores rows', '3 invalidations pending'] }),
      ],
    })
  })

  it('is the same where only numbers differ', async () => {
    const joining = (id: string, mayFillInMs: number) => process(id, { mayFill: false, mayFillInMs })
    expect(await stateOf([joining('p1', 12_000), joining('p2', 11_000)])).toEqual({
      words: ['new schema: stores rows in 12 s'],
      isGood: false,
      differing: [],
    })
  })

  it('differs by schema version', async () => {
    const fingerprints = ['aaaaaaaabbbb', '12345678cccc'].map((fingerprint) => ({
      fingerprint,
      processes: [],
    }))
    const processes = [process('p1'), process('p2'), process('p3', { fingerprint: '12345678cccc' })]
    expect(await stateOf(processes, { ...cache, fingerprints })).toEqual({
      words: ['stores rows', 'schema aaaaaaaa', '2 schema versions'],
      isGood: false,
      differing: [expect.objectContaining({ id: 'p3', words: ['stores rows', 'schema 12345678'] })],
    })
  })

  it('leaves out processes that do not have the cache', async () => {
    const worker = { ...process('p2'), caches: [] }
    expect(await stateOf([process('p1'), worker])).toMatchObject({ isGood: true, differing: [] })
  })
})

describe('the addresses of the page', () => {
  const names: CacheName[] = [
    { name: 'Lot', root: null },
    { name: 'a/b?c#d%', root: '<&"' },
  ]

  it.each(names)('lead back to rows and entries of %j', async (cache) => {
    const { entryHref, routeOf, rowHref } = await load('routes.js')
    const id = '{"a":"/?#%&+= <"}'
    expect(routeOf!(rowHref!(cache, id))).toEqual({ view: 'row', cache, id })
    const entry = { view: 'entry', cache, lookup: id, key: id }
    expect(routeOf!(entryHref!(cache, id, id))).toEqual(entry)
  })

  it.each(['', '#', '#/'])('shows all caches at %j', async (hash) => {
    expect((await load('routes.js')).routeOf!(hash)).toEqual({ view: 'caches' })
  })

  it.each(['#/nowhere', '#/row//Lot', '#/cache/', '#/%E0%A4%A'])('knows no view at %s', async (hash) => {
    expect((await load('routes.js')).routeOf!(hash)).toEqual({ view: 'unknown' })
  })
})

describe('the formats of the page', () => {
  it.each([
    ['formatDuration', 400, '0.4 s'],
    ['formatDuration', 12_400, '12 s'],
    ['formatDuration', 588_000, '9 min 48 s'],
    ['formatDuration', 3_600_000, '1 h'],
    ['formatDuration', 187_200_000, '2 d 4 h'],
    ['formatRate', 0, '0'],
    ['formatRate', 0.001, '< 0.01'],
    ['formatRate', 0.04, '0.04'],
    ['formatRate', 2.5, '2.5'],
    ['formatRate', 1_234, '1,234'],
  ])('%s(%d) is %s', async (format, value, text) => {
    expect((await load('kit/format.js'))[format]!(value)).toBe(text)
  })

  it.each([
    ['formatMsWithin', 0.05, [0, 0.1], '< 0.1 ms'],
    ['formatMsWithin', 3.1, [2.5, 5], '3.1 ms'],
    ['formatMsWithin', 10_000, [10_000, null], '> 10.0 s'],
    ['formatBytesWithin', 320, [128, 512], '< 512 B'],
    ['formatBytesWithin', 2_097_152, [2_097_152, null], '> 2.1 MB'],
  ])('%s(%d, %j) says what a histogram knows: %s', async (format, value, within, text) => {
    expect((await load('kit/format.js'))[format]!(value, within)).toBe(text)
  })
})
