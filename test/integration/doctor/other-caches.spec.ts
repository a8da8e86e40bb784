/** The commands, where the store has what the caches of the pod have not put there: entries of other versions, and what is damaged or lost. */
import { join } from 'node:path'
import type { CacheOptions } from 'model-cache'
import { eventuallyEqual } from '../../support/eventually.js'
import { type LookupWorld, useLookupWorlds } from '../lookups/lookup-pods.js'
import { definePosts, defineWithLookups, listStored, type PostPod } from '../lookups/posts.js'
import { type Ended, run } from './command-line.js'
import { createProject } from './faulty-project.js'

const openWorld = useLookupWorlds()

let world: LookupWorld
let pod: PostPod
let options: string[]

beforeEach(async () => {
  world = await openWorld()
  pod = await openPosts()
  await pod.caches.posts.getMany([1n, 2n, 3n])
  await pod.caches.posts.drain()
  options = ['--valkey', world.valkey.url, '--namespace', world.namespace]
})

const openPosts = (own: Partial<CacheOptions> = {}): Promise<PostPod> =>
  world.openPod({ posts: definePosts(own) })

const runHere = (...args: string[]): Promise<Ended> => run([...args, ...options])
const linesOf = async (...args: string[]): Promise<string[]> => (await runHere(...args)).output.split('\n')
async function jsonOf<T>(...args: string[]): Promise<T> {
  return JSON.parse((await runHere(...args, '--json')).output) as T
}

/** Describes a cache in the catalogue, as a process of another application would. */
async function describeCache(name: string, entry: object = {}, fingerprint = 'f1'): Promise<void> {
  const id = [{ name: 'id', kind: 'number' }]
  const model = { v: 6, affectedBy: [[name]], model: name, dependsOn: [], id, buckets: 1 }
  const text = JSON.stringify({ ...model, lookups: [], ...entry })
  await world.admin.hset(`${world.namespace}:{catalogue}`, `${name}:${fingerprint}:digest`, `0;0;${text}`)
}

/** A description that this version does not understand. */
const newer = { v: 7 }

const registerKey = (name: string): string => `${world.namespace}:{${name}}:register`

const databases = (): string => `${world.namespace}:{databases}`

/** Lists a process of another host that reads a database. */
async function listProcess(name: string, pid: number, state = 'running'): Promise<void> {
  const entry = { id: name, schema: 'public', history: '1', incarnation: '1', name, host: 'pod', pid, state }
  const [seconds] = await world.admin.time()
  await world.admin.hset(databases(), `p${pid}`, `0;${Number(seconds) * 1_000};${JSON.stringify(entry)}`)
}

/** A process of an earlier deployment, which had no lookups, and one that has dropped them since: neither is forgotten yet. */
describe('a deployment that adds lookups', () => {
  beforeEach(() =>
    Promise.all(
      ['early', 'zz late'].map(async (digest) => {
        const found = await world.admin.hgetall(`${world.namespace}:{catalogue}`)
        const [field = '', value = ''] = Object.entries(found).find(([name]) => name.startsWith('Post:'))!
        const [addedMs, putMs, ...text] = value.split(';')
        const entry = { ...(JSON.parse(text.join(';')) as object), lookups: [] }
        const renamed = field.replace(/[^:]*$/, digest)
        const described = [addedMs, putMs, JSON.stringify(entry)].join(';')
        await world.admin.hset(`${world.namespace}:{catalogue}`, renamed, described)
      }),
    ),
  )

  it('has the commands answer with the lookups that processes have', async () => {
    const { authorId, slug } = (await listStored(pod, 1))[0]!
    await pod.caches.posts.getBy('address', { authorId, slug })
    await pod.caches.posts.drain()
    const key = `authorId=${authorId},slug=${slug}`
    expect(await linesOf('caches')).toContainEqual(
      expect.stringMatching(/^  lookups +address\(authorId, slug\), /),
    )
    const explained = await runHere('explain', 'Post', 'address', key)
    expect(explained).toMatchObject({ code: 0, errors: '' })
    expect(explained.output.match(/hit /g)).toHaveLength(1)
    const invalidated = await runHere('invalidate', 'Post', '--lookup', 'address', key)
    expect(invalidated).toMatchObject({ code: 0, output: 'Invalidated 1 of address of Post.\n' })
    expect((await runHere('explain', 'Post', 'address', key)).output).toContain('miss ')
    expect((await runHere('explain', 'Post', 'addresses', key)).errors).toMatch(
      /has no lookup "addresses"; it has address, /,
    )
  })
})

describe('model-cache caches', () => {
  it('sorts caches by name, and lists the versions of each', async () => {
    await describeCache('Zone', {}, 'f2')
    await describeCache('Bid')
    await describeCache('Zone', {}, 'f1')
    await describeCache('Area')
    const lines = await linesOf('caches')
    expect(lines.filter((line) => /^\w/.test(line))).toEqual(['Area', 'Bid', 'Post', 'Zone'])
    expect(lines.find((line) => line.includes('f2'))).toMatch(/^  fingerprints  (f1, f2|f2, f1)$/)
  })

  it('prints what a cache depends on, and nothing of what it has not', async () => {
    const lookups = [
      {
        name: 'code',
        fingerprint: 'p',
        key: [
          { name: 'org', kind: 'number', folds: false },
          { name: 'slug', kind: 'string', folds: false },
        ],
        watched: [],
      },
      { name: 'near', fingerprint: 'p', key: 'of a later version' },
    ]
    await describeCache('Bid', { dependsOn: ['Lot', 'User'], lookups })
    const lines = await linesOf('caches')
    expect(lines.slice(0, lines.indexOf('Post'))).toEqual([
      'Bid',
      '  model         Bid',
      '  id            id: number',
      '  depends on    Lot, User',
      '  lookups       code(org, slug), near()',
      '  fingerprints  f1',
    ])
    const { caches } = await jsonOf<{ caches: object[] }>('caches')
    expect(caches[0]).toEqual({
      name: 'Bid',
      model: 'Bid',
      id: ['id: number'],
      dependsOn: ['Lot', 'User'],
      lookups: ['code(org, slug)', 'near()'],
      tables: [],
      fingerprints: ['f1'],
      atRest: [],
      isFenced: false,
    })
  })

  it('says that another version has described a cache', async () => {
    await describeCache('Bid', newer)
    const lines = await linesOf('caches')
    expect(lines.slice(0, lines.indexOf('Post'))).toEqual([
      'Bid',
      '  model         unknown: another version of model-cache has described it',
      '  fingerprints  f1',
    ])
    const { caches } = await jsonOf<{ caches: object[] }>('caches')
    expect(caches[0]).toEqual({
      name: 'Bid',
      dependsOn: [],
      lookups: [],
      tables: [],
      fingerprints: ['f1'],
      atRest: [],
      isFenced: false,
    })
  })

  it('describes a cache by the version that it knows', async () => {
    await describeCache('Bid', { id: [{ name: 'number', kind: 'bigint' }] }, 'f1')
    await describeCache('Bid', newer, 'f2')
    const { caches } = await jsonOf<{ caches: object[] }>('caches')
    expect(caches[0]).toMatchObject({ id: ['number: bigint'], fingerprints: ['f1', 'f2'] })
  })

  it('names the tables of rows, and those that join them', async () => {
    const lists = { withPost: { through: 'posts' } }
    const { caches } = await world.openPod({ labels: defineWithLookups<never>('Label', { lists }) })
    await (caches.labels as unknown as { join(): Promise<void> }).join()
    const { caches: listed } = await jsonOf<{ caches: { name: string; tables: string[] }[] }>('caches')
    expect(listed).toMatchObject([
      { name: 'Label', tables: ['public.Label', 'public._LabelToPost'] },
      { name: 'Post', tables: ['public.Post'] },
    ])
  })

  it('says that rows do not count during a write of unknown rows', async () => {
    const unit = pod.writes.begin()
    unit.markAllWritten('Post', 'raw')
    await unit.fence()
    expect(await linesOf('caches')).toContain(
      '  fenced        yes: a write of unknown rows is running, so no row counts',
    )
    expect(await jsonOf('caches')).toMatchObject({ caches: [{ name: 'Post', isFenced: true }] })
    await unit.end()
    expect(await jsonOf('caches')).toMatchObject({ caches: [{ name: 'Post', isFenced: false }] })
  })

  it('takes a register that is damaged for none', async () => {
    await describeCache('Bid')
    await world.admin.set(registerKey('Bid'), 'damaged')
    expect(await jsonOf('caches')).toMatchObject({ caches: [{ name: 'Bid', isFenced: false }, {}] })
  })
})

describe('model-cache explain', () => {
  interface Explained {
    readonly keys: readonly { readonly key: string; readonly stored: object }[]
  }
  const storedOf = async (...args: string[]): Promise<object[]> =>
    (await jsonOf<Explained>('explain', 'Post', ...args)).keys.map(({ stored }) => stored)

  it('prints times in seconds, and who guards the row', async () => {
    const [, stored, guard] = await linesOf('explain', 'Post', '1')
    expect(stored).toMatch(/^  hit          stored \d{1,3}\.\d s ago, expires in 3\d{3}\.\d s, \d+ bytes$/)
    expect(guard).toBe('  guarded by   nothing: the next read that misses it may store it')
    const unit = pod.writes.begin()
    unit.markWritten('Post', [{ id: 2n }])
    await unit.fence()
    const [, , fences] = await linesOf('explain', 'Post', '2')
    expect(fences).toMatch(/^  guarded by   fences: a write is running, so nobody may store it \(\S+@\d+\)$/)
    await unit.end()
  })

  it('says that rows do not count during a write of unknown rows, nor without a register', async () => {
    expect(await storedOf('1')).toMatchObject([{ isHit: true }])
    const unit = pod.writes.begin()
    unit.markAllWritten('Post', 'raw')
    await unit.fence()
    const register = (await world.admin.get(registerKey('Post')))!
    // The fence has ended the epoch of the row.
    const [, key] = /^(\S+)$/m.exec((await runHere('explain', 'Post', '1')).output)!
    const epoch = (await world.admin.get(key!))!.split(';')[1]!.split('.')[0]!
    await world.admin.set(registerKey('Post'), register.replace(/^[^;]+/, epoch))
    expect(await storedOf('1')).toEqual([{ isHit: false, reason: 'invalidated' }])
    await world.admin.set(
      registerKey('Post'),
      register.replace(/^[^;]+/, epoch).replace(/^((?:[^;]*;){4})[^;]*/, '$1'),
    )
    expect(await storedOf('1')).toMatchObject([{ isHit: true }])
    await world.admin.del(registerKey('Post'))
    expect(await storedOf('1')).toEqual([{ isHit: false, reason: 'invalidated' }])
    await unit.end()
  })

  it('says that rows do not count without a catalogue epoch', async () => {
    await world.admin.del(`${world.namespace}:{catalogue}:epoch`)
    expect(await storedOf('1')).toEqual([{ isHit: false, reason: 'invalidated' }])
  })

  it('explains rows of any database', async () => {
    const [key] = await linesOf('explain', 'Post', '1')
    const [fingerprint, epoch, ...others] = (await world.admin.get(key!))!.split(';')
    await world.admin.set(key!, [fingerprint, `${epoch}.0123456789ab`, ...others].join(';'))
    expect(await storedOf('1')).toMatchObject([{ isHit: true }])
  })

  it('does not take the text of a row for the mark of a database', async () => {
    await world.sql.query(`UPDATE "Post" SET title = 'a;b.0123456789ab;c' WHERE id = 4`)
    await pod.caches.posts.get(4n)
    await pod.caches.posts.drain()
    expect(await storedOf('4')).toMatchObject([{ isHit: true }])
  })

  it('explains a row in each schema version, and an entry that versions share once', async () => {
    await listStored(pod, 1)
    const other = await openPosts({ omit: { editorId: true } } as never)
    await other.caches.posts.getMany([1n])
    await other.caches.posts.drain()
    expect(await storedOf('1')).toHaveLength(2)
    expect(await storedOf('ofAuthor', '1')).toMatchObject([{ isHit: true }])
  })

  it('refuses a cache that another version has described', async () => {
    await describeCache('Bid', newer)
    expect(await runHere('explain', 'Bid', '1')).toEqual({
      code: 2,
      output: '',
      errors:
        'Another version of model-cache has described the cache "Bid". Use that version: npx model-cache@<version> explain\n',
    })
  })

  it('refuses an id that no row can have', async () => {
    await describeCache('Bid')
    const { code, errors } = await runHere('explain', 'Bid', '1e999')
    expect(errors).toMatch(/Infinity/)
    expect(code).toBe(2)
  })

  it('refuses the key of an entry that only the database knows', async () => {
    const lookups = [
      { name: 'name', fingerprint: 'p', key: [{ name: 'name', kind: 'string', folds: true }], watched: [] },
    ]
    await describeCache('Bid', { lookups })
    expect((await runHere('explain', 'Bid', 'name', 'plain')).code).toBe(0)
    expect(await runHere('explain', 'Bid', 'name', 'é')).toEqual({
      code: 2,
      output: '',
      errors: 'Only the database knows which entry of "name" has the key "é".\n',
    })
  })
})

describe('model-cache invalidate', () => {
  const isHit = async (id: bigint): Promise<boolean> => (await pod.caches.posts.explain(id)).stored.isHit
  const isEntryHit = async (author: number): Promise<boolean> =>
    (await pod.caches.posts.explain('ofAuthor', author)).stored.isHit

  it('prints what it has invalidated as JSON', async () => {
    expect(await jsonOf('invalidate', 'Post', '1')).toEqual({
      version: 1,
      cache: 'Post',
      invalidated: '1 row',
      warnings: [],
    })
  })

  it('invalidates all rows of a cache that another version has described as well', async () => {
    await describeCache('Post', newer)
    expect((await runHere('invalidate', 'Post', '1')).output).toBe('Invalidated all rows of Post.\n')
    expect(await Promise.all([1n, 2n].map(isHit))).toEqual([false, false])
  })

  it('invalidates all entries, and no rows, for a lookup that a later version has described', async () => {
    await listStored(pod, 1)
    const lookups = [{ name: 'ofAuthor', fingerprint: 'p', key: 'of a later version' }]
    await describeCache('Post', { id: [{ name: 'id', kind: 'bigint' }], lookups })
    expect((await runHere('invalidate', 'Post', '--lookup', 'ofAuthor', '7')).output).toBe(
      'Invalidated all entries of lookups of Post.\n',
    )
    expect(await isEntryHit(1)).toBe(false)
    expect(await isHit(1n)).toBe(true)
  })

  it('invalidates all entries, and no rows, if another version has other lookups', async () => {
    await listStored(pod, 1)
    const key = [{ name: 'authorId', kind: 'number', folds: false }]
    const lookups = [{ name: 'byAuthor', fingerprint: 'p', key, watched: [] }]
    await describeCache('Post', { id: [{ name: 'id', kind: 'bigint' }], lookups })
    expect((await runHere('invalidate', 'Post', '--lookup', 'ofAuthor', '7')).output).toBe(
      'Invalidated all entries of lookups of Post.\n',
    )
    expect(await isEntryHit(1)).toBe(false)
    expect(await isHit(1n)).toBe(true)
    expect((await runHere('invalidate', 'Post', '--lookup', 'byPlace', '7')).code).toBe(2)
  })

  it.each([
    ['plain', '1 of name of Bid'],
    ['é', 'all entries of lookups of Bid'],
    ['plain é', 'all entries of lookups of Bid'],
  ])('invalidates all entries for a key that only the database knows (%s)', async (keys, what) => {
    const lookups = [
      { name: 'name', fingerprint: 'p', key: [{ name: 'name', kind: 'string', folds: true }], watched: [] },
    ]
    await describeCache('Bid', { lookups })
    const { output } = await runHere('invalidate', 'Bid', '--lookup', 'name', ...keys.split(' '))
    expect(output).toBe(`Invalidated ${what}.\n`)
  })

  it.each([
    ['as it is', (id: string) => id],
    ['in capitals', (id: string) => id.toUpperCase()],
    ['without hyphens', (id: string) => id.replaceAll('-', '')],
  ])('finds the row of a UUID %s', async (_, spelled) => {
    const { caches } = await world.openPod({ tickets: defineWithLookups<never>('Ticket', {}) })
    const tickets = caches.tickets as unknown as {
      get(id: string): Promise<object | null>
      drain(): Promise<void>
      explain(id: string): Promise<{ readonly stored: { readonly isHit: boolean } }>
    }
    const id = '0000abcd-0000-4000-8000-00000000000a'
    await world.sql.query(`INSERT INTO "Ticket" (id) VALUES ('${id}')`)
    await tickets.get(id)
    await tickets.drain()
    expect((await tickets.explain(id)).stored.isHit).toBe(true)
    expect((await runHere('invalidate', 'Ticket', spelled(id))).output).toBe('Invalidated 1 row of Ticket.\n')
    expect((await tickets.explain(id)).stored.isHit).toBe(false)
  })

  it('says why the store does not take it', async () => {
    const rules = ['on', '>s3cret', '&*', '+@all', '%R~*', `~${world.namespace}:{catalogue}*`]
    await world.admin.call('ACL', 'SETUSER', 'half', 'reset', ...rules)
    const half = [
      '--valkey',
      world.valkey.url.replace('://', '://half:s3cret@'),
      '--namespace',
      world.namespace,
    ]
    const [{ code, output }, { output: json }] = await Promise.all([
      run(['invalidate', 'Post', '1', ...half]),
      run(['invalidate', 'Post', '1', '--json', ...half]),
    ])
    expect(code).toBe(1)
    expect(output).toMatch(/^Not invalidated: .*NOPERM.* Run the command again\.\n$/s)
    expect(JSON.parse(json)).toEqual({
      version: 1,
      cache: 'Post',
      invalidated: null,
      warnings: expect.arrayContaining([expect.stringContaining('NOPERM')]),
    })
    expect(await isHit(1n)).toBe(true)
  })

  it('does not speak of replicas that nobody has asked for', async () => {
    await world.admin.call('ACL', 'SETUSER', 'reader', 'reset', 'on', '>s3cret', '&*', '+@all', '%R~*')
    const url = world.valkey.url.replace('://', '://reader:s3cret@')
    const args = ['invalidate', 'Post', '1', '--valkey', url, '--namespace', world.namespace]
    const { code, errors } = await run(args)
    expect(code).toBe(1)
    expect(errors).toMatch(/NOPERM/)
    expect(errors).not.toMatch(/replica/)
    expect((await run([...args, '--replicas', '1'])).errors).toMatch(/NOPERM.*without --replicas/s)
  })
})

describe('model-cache hand-over', () => {
  it('says that no process uses the namespace, and leaves nothing there', async () => {
    const { code, output } = await runHere('hand-over')
    expect({ code, output }).toEqual({
      code: 0,
      output: `No process uses the namespace "${world.namespace}".\n`,
    })
    await listProcess('shop', 7, 'ended')
    expect(await linesOf('hand-over')).toEqual([output.trimEnd(), ''])
    expect(await world.admin.hkeys(databases())).toEqual(['p7'])
    expect(await jsonOf('hand-over')).toEqual({ version: 1, namespace: world.namespace, databases: [] })
  })

  it('names the processes of each database', async () => {
    await listProcess('shop', 7)
    await listProcess('stock', 8)
    await listProcess('shop', 9)
    await listProcess('shop', 10, 'ended')
    const { databases: named } = await jsonOf<{ databases: { name: string; processes: string[] }[] }>(
      'hand-over',
    )
    expect(named.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'shop', processes: expect.arrayContaining(['pod, process 7', 'pod, process 9']) },
      { name: 'stock', processes: ['pod, process 8'] },
    ])
    expect(await world.admin.hexists(databases(), 'handed-over')).toBe(1)
  })
})

describe('a command', () => {
  it.each([
    ['caches', []],
    ['explain', ['Post', '1']],
    ['invalidate', ['Post', '1']],
    ['hand-over', []],
    ['doctor', []],
    ['warm', ['--from', 'posts']],
  ])('closes its connections: %s', async (name, args) => {
    await listProcess('shop', 7)
    if (name === 'warm') {
      await world.admin.copy(`${world.namespace}:{catalogue}`, 'posts:{catalogue}', 'REPLACE')
    }
    const connections = async () => String(await world.admin.client('LIST')).match(/(?<=^id=)\d+/gm) ?? []
    const before = new Set(await connections())
    const { errors } = await runHere(name, ...args)
    expect(errors).toBe('')
    await eventuallyEqual(async () => (await connections()).filter((id) => !before.has(id)), [])
  })
})

describe('model-cache explain of a query', () => {
  let folder: string
  let remove: () => void
  beforeAll(() => {
    ;({ folder, remove } = createProject({
      'schema.prisma': `
model Lot {
  id   Int   @id
  bids Bid[]
}
model Bid {
  id    Int @id
  lotId Int
  lot   Lot @relation(fields: [lotId], references: [id])
}`,
    }))
  })
  afterAll(() => remove())
  const explain = (...args: string[]): Promise<Ended> =>
    runHere('explain', ...args, '--schema', join(folder, 'schema.prisma'))

  it('names the models that it reads, and those whose results no process keeps', async () => {
    await describeCache('Lot.results')
    expect((await explain('Lot.findMany', '{"include":{"bids":true}}')).output).toBe(
      'Lot.findMany\n' +
        '  reads        Bid, Lot\n' +
        '  no result    no process keeps results of Bid: `reads.results` needs all of these models\n',
    )
    await describeCache('Bid.results')
    expect((await explain('lot.findMany', '{"include":{"bids":true}}')).output).toBe(
      'Lot.findMany\n' +
        '  reads        Bid, Lot\n' +
        '  result       kept, if rows do not answer the query, until Bid or Lot is written\n' +
        '  unknown      running processes have another schema, or a client with `omit`, so only the application knows its key\n',
    )
  })

  it.each<[why: string, entry: object, printed: string]>([
    ['version', newer, 'another version of model-cache keeps the results: run the command of that version'],
    [
      'form',
      { atRest: { isEncrypted: true, isCompressed: false } },
      'results are encrypted or compressed, so only the application knows its key',
    ],
  ])('says that it cannot know what is stored: %s', async (why, entry, printed) => {
    await describeCache('Lot.results', entry)
    const { result } = JSON.parse((await explain('Lot.count', '{}', '--json')).output)
    expect(result).toEqual({ unknown: why })
    expect((await explain('Lot.count', '{}')).output).toContain(`  unknown      ${printed}\n`)
  })

  it('says that a write is running', async () => {
    await describeCache('Lot.results')
    const register = (await world.admin.get(registerKey('Post')))!
    await world.admin.set(registerKey('Lot.results'), register)
    expect(JSON.parse((await explain('Lot.count', '{}', '--json')).output)).toEqual({
      version: 1,
      model: 'Lot',
      action: 'count',
      models: [{ model: 'Lot', isKept: true, isFenced: false }],
      result: { unknown: 'schema' },
    })
    const unit = pod.writes.begin()
    unit.markAllWritten('Post', 'unknown')
    await unit.fence()
    await world.admin.set(registerKey('Lot.results'), (await world.admin.get(registerKey('Post')))!)
    expect((await explain('Lot.count', '{}')).output).toContain(
      '  not stored   a write to Lot is running, so nothing is stored until it has ended\n',
    )
    await unit.end()
  })

  it.each<[args: string[], errors: RegExp]>([
    [['Pot.findMany', '{}'], /has no model "Pot"/],
    [['Lot.findAll', '{}'], /"findAll" is no operation that reads/],
    [['Lot.findMany', '[1]'], /The arguments are \[1\]; expected JSON/],
    [['Lot.findMany', '{where}'], /expected JSON/],
    [['Lot.findMany', '{}', '1'], /^Usage: model-cache explain/],
  ])('refuses %j', async (args, errors) => {
    const { code, errors: found } = await explain(...args)
    expect({ code, errors: found }).toEqual({ code: 2, errors: expect.stringMatching(errors) })
  })
})
