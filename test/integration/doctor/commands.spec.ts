import { eventuallyEqual } from '../../support/eventually.js'
import { type LookupWorld, useLookupWorlds } from '../lookups/lookup-pods.js'
import { definePosts, defineWithLookups, listStored, type PostPod } from '../lookups/posts.js'
import { run, useCommandLine } from './command-line.js'
import { createProject } from './faulty-project.js'

const { run: runProcess } = useCommandLine()
const openWorld = useLookupWorlds()

let world: LookupWorld
let pod: PostPod
let options: string[]

/** Reads a row in another way than `cache.get`, which would load it. */
const explained = async (id: bigint) => (await pod.caches.posts.explain(id)).stored
const isHit = async (id: bigint): Promise<boolean> => (await explained(id)).isHit

beforeEach(async () => {
  world = await openWorld()
  pod = await world.openPod({ posts: definePosts() })
  await pod.caches.posts.getMany([1n, 2n, 3n])
  await pod.caches.posts.drain()
  options = ['--valkey', world.valkey.url, '--namespace', world.namespace]
})

describe('model-cache caches', () => {
  it('lists what the catalogue has', async () => {
    const { code, output } = await run(['caches', ...options])
    expect(code).toBe(0)
    expect(output).toMatch(
      /^Post\n {2}model +Post\n {2}id +id: bigint\n {2}lookups +address\(authorId, slug\), .*\n {2}tables +\w+\.\w+\n {2}fingerprints +\S+\n$/,
    )
    const listed = JSON.parse((await run(['caches', '--json', ...options])).output)
    expect(listed).toMatchObject({ version: 1, caches: [{ name: 'Post', model: 'Post', isFenced: false }] })
  })

  it('says that a namespace has none, and leaves nothing there', async () => {
    const { code, output } = await run(['caches', '--valkey', world.valkey.url, '--namespace', 'none'])
    expect({ code, output }).toEqual({ code: 0, output: 'The namespace "none" has no caches.\n' })
    expect(await world.admin.keys('none:*')).toEqual([])
  })
})

describe('model-cache explain', () => {
  it('says whether a read would use a row, without showing it', async () => {
    const { code, output } = await run(['explain', 'Post', '1', ...options])
    expect(code).toBe(0)
    expect(output).toMatch(
      /^\S+:1:\S+\n {2}hit +stored \d+\.\d s ago, expires in \d+\.\d s, \d+ bytes\n {2}guarded by +nothing/,
    )
    const { title } = (await pod.caches.posts.get(1n))!
    expect(output).not.toContain(title)
    expect((await run(['explain', 'Post', '9', ...options])).output).toContain(
      'miss         the store has nothing',
    )
  })

  it('explains rows after a write of unknown rows, and while they are fenced', async () => {
    const unit = pod.writes.begin()
    unit.markWritten('Post', [{ id: 2n }])
    await unit.fence()
    const fenced = JSON.parse((await run(['explain', 'Post', '2', '--json', ...options])).output)
    expect(fenced.keys).toMatchObject([{ stored: { isHit: false, reason: 'not_cached' }, guard: 'fences' }])
    await unit.end()
    await pod.caches.posts.invalidateAll()
    const { output } = await run(['explain', 'Post', '1', '--json', ...options])
    expect(JSON.parse(output).keys).toMatchObject([{ stored: { isHit: false, reason: 'invalidated' } }])
  })

  it('explains the entry of a lookup', async () => {
    const { authorId, slug } = (await listStored(pod, 1))[0]!
    const { output } = await run(['explain', 'Post', 'ofAuthor', '1', ...options])
    expect(output).toContain('hit ')
    await pod.caches.posts.getBy('address', { authorId, slug })
    await pod.caches.posts.drain()
    const key = `authorId=${authorId},slug=${slug}`
    expect((await run(['explain', 'Post', 'address', key, ...options])).output).toContain('hit ')
  })

  it.each([
    [['explain', 'Pots', '1'], /has no cache "Pots"; it has Post\./],
    [['explain', 'Post', 'ofAuthors', '1'], /has no lookup "ofAuthors"; it has address, ofAuthor/],
    [['explain', 'Post', 'one'], /The id is "one"; expected a bigint\./],
    [['explain', 'Post', 'address', '1'], /expected JSON with "authorId" \(number\), .*or authorId=…,slug=…/],
    [['doctor', '--replicas', '17'], /--replicas is "17"; expected an integer from 0 to 16\./],
    [['doctor', '--replicas', '-1'], /--replicas/],
    [['doctor', '--replicas', '1.5'], /--replicas is "1\.5"; expected an integer/],
    [
      ['invalidate', 'Post', '1', '--replicas', 'all'],
      /--replicas is "all"; expected an integer from 0 to 16\./,
    ],
    [['explain', 'Post'], /^Usage: model-cache explain/],
    [['invalidate', 'Post'], /^Usage: model-cache invalidate/],
    [['invalidate', 'Post', '1', '--all'], /^Usage: model-cache invalidate/],
    [
      ['invalidate', 'Post', '1', '--replica-lag-ms', 'long'],
      /--replica-lag-ms is "long"; expected milliseconds/,
    ],
  ])('refuses %j', async (args, message) => {
    const { code, errors, output } = await run([...args, ...options])
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(message)
  })
})

describe('model-cache invalidate', () => {
  it('invalidates rows, as the library does', async () => {
    const { code, output } = await run(['invalidate', 'Post', '1', '2', ...options])
    expect({ code, output }).toEqual({ code: 0, output: 'Invalidated 2 rows of Post.\n' })
    expect(await Promise.all([1n, 2n, 3n].map(isHit))).toEqual([false, false, true])
    expect((await pod.caches.posts.explain(1n)).guard).toBe('released')
  })

  it('removes rows from the memory of other processes', async () => {
    const remembering = await world.openPod({ posts: definePosts({ l1: { ttl: '1h' } }) })
    const { posts } = remembering.caches
    const before = await posts.get(3n)
    await eventuallyEqual(
      async () => {
        await posts.get(3n)
        return (await posts.explain(3n)).l1
      },
      { isHeld: true, isTrusted: true },
    )
    await world.sql.query(`UPDATE "Post" SET "title" = 'written by hand' WHERE id = 3`)
    expect(await posts.get(3n)).toEqual(before)
    await run(['invalidate', 'Post', '3', ...options])
    await eventuallyEqual(async () => (await posts.get(3n))?.title, 'written by hand')
  })

  it('invalidates the entries of a lookup, and leaves rows', async () => {
    await listStored(pod, 1)
    const { output } = await run(['invalidate', 'Post', '--lookup', 'ofAuthor', '1', ...options])
    expect(output).toBe('Invalidated 1 of ofAuthor of Post.\n')
    expect((await pod.caches.posts.explain('ofAuthor', 1)).stored.isHit).toBe(false)
    expect(await isHit(1n)).toBe(true)
  })

  it('invalidates all rows', async () => {
    const { output } = await run(['invalidate', 'Post', '--all', ...options])
    expect(output).toBe('Invalidated all rows of Post.\n')
    expect(await explained(3n)).toEqual({ isHit: false, reason: 'invalidated' })
  })

  it('takes ids of several fields in both forms', async () => {
    const { caches } = await world.openPod({ comments: defineWithLookups<never>('Comment', {}) })
    const comments = caches.comments as unknown as PostPod['caches']['posts']
    const ids = [1, 2].map((number) => ({ postId: 1n, number })) as never[]
    await comments.getMany(ids)
    await comments.drain()
    const forms = ['postId=1,number=1', '{"postId":1,"number":2}']
    for (const form of forms)
      expect((await run(['explain', 'Comment', form, ...options])).output).toMatch(/hit /)
    await run(['invalidate', 'Comment', ...forms, ...options])
    for (const id of ids) expect((await comments.explain(id)).stored.isHit).toBe(false)
  })

  it('fails with the reason when the store refuses it', async () => {
    const { admin } = world
    await admin.call('ACL', 'SETUSER', 'reader', 'on', '>s3cret', '~*', '&*', '+@all', '-evalsha', '-eval')
    const url = world.valkey.url.replace('://', '://reader:s3cret@')
    const { code, errors } = await run([
      'invalidate',
      'Post',
      '1',
      '--valkey',
      url,
      '--namespace',
      world.namespace,
    ])
    expect(code).toBe(1)
    expect(errors).toMatch(/CATALOGUE failed: NOPERM/)
    expect(await isHit(1n)).toBe(true)
  })
})

describe('model-cache', () => {
  it.each(['doctor', 'caches', 'explain', 'invalidate', 'hand-over', 'print'])(
    'describes %s',
    async (name) => {
      const { code, output } = await run([name, '--help'])
      expect(code).toBe(0)
      expect(output).toMatch(new RegExp(`^Usage: model-cache ${name} `))
    },
  )

  it('lists its commands, and says what is missing', async () => {
    expect(await run([])).toEqual({
      code: 2,
      output: '',
      errors: expect.stringMatching(/^Usage: model-cache <command>/),
    })
    expect(await run(['--help'])).toEqual({
      code: 0,
      output: expect.stringMatching(/^Usage: model-cache <command>/),
      errors: '',
    })
    expect((await run(['caches'])).errors).toBe(
      'Name the server with --valkey valkey://host:6379, or set VALKEY_URL.\n',
    )
    expect((await run(['caches', '--vlakey'])).code).toBe(2)
  })

  it('is a process that writes to its outputs, and says by its exit code how it ended', async () => {
    expect(await runProcess(['caches', ...options])).toEqual(await run(['caches', ...options]))
    expect(await runProcess(['explain', 'Post', 'one', ...options])).toEqual({
      code: 2,
      output: '',
      errors: 'The id is "one"; expected a bigint.\n',
    })
  })

  it('reads queries from the standard input', async () => {
    const { folder, remove } = createProject({ 'schema.prisma': 'model Lot { id Int @id }' })
    const args = ['suggest', '--from', '-']
    const model = { model: 'Lot', answered: 7, omitted: [], caches: [], bypassed: [] }
    const input = JSON.stringify({ composed: [], takesAnyRow: false, models: [model] })
    expect(await runProcess(args, { cwd: folder, input })).toEqual({
      code: 0,
      output: '7 queries: caches answer 100.0 %. No further definition answers others.\n',
      errors: '',
    })
    expect(await runProcess(args, { cwd: folder, input: '{}' })).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^The standard input has no queries\./),
    })
    expect(await runProcess(args, { cwd: folder })).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^The standard input cannot be read: /),
    })
    remove()
  })
})
