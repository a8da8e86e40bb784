/** A write has the arguments of the moment at which Prisma takes them, also while the library has to ask the database something first. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { createDatabase } from '../../support/servers.ts'
import type { TestDatabase } from '../../support/test-database.ts'
import { PrismaClient } from '../differential/client/client.ts'

type Args = Record<string, Record<string, unknown>>
type Written = PromiseLike<unknown> & { author(): Written }
interface Client {
  readonly post: Record<string, (args: unknown) => Written>
  $disconnect(): Promise<void>
  $executeRawUnsafe(sql: string, ...values: unknown[]): Written
  $transaction(work: unknown, options?: object): Promise<unknown>
}

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
  await run('tables.sql')
})
beforeEach(() => run('refill.sql'))
afterAll(() => database.drop())

const run = (script: string): Promise<void> =>
  database.run(readFileSync(join(import.meta.dirname, '../differential', script), 'utf8'))

const openPlain = (): PrismaClient =>
  new PrismaClient({ adapter: database.adapter(1), errorFormat: 'minimal' })
const openExtended = (): PrismaClient => extendPrisma(openPlain(), new SlowWrites())

/** Takes its time to learn of the caches, the first time most. */
class SlowWrites extends ModelCacheWrites {
  #delayMs = 20

  override async prepare(): Promise<void> {
    const delayMs = this.#delayMs
    this.#delayMs = 1
    await sleep(delayMs)
  }
}

/** What becomes of the same calls to clients that have sent nothing before. */
async function ofBoth<T>(work: (client: Client) => Promise<T>): Promise<{ plain: T; extended: T }> {
  const of = async (open: () => PrismaClient): Promise<T> => {
    const client = open() as unknown as Client
    try {
      return await work(client)
    } finally {
      await client.$disconnect()
      await run('refill.sql')
    }
  }
  return { plain: await of(openPlain), extended: await of(openExtended) }
}

const posts = (): Promise<unknown> =>
  database.rows('SELECT id, title FROM "Post" WHERE id IN (7, 8, 60, 61) ORDER BY id')

/** Replaces what a caller has given. */
function change({ data, where }: Args): void {
  if (where) where['id'] = 8
  if (data?.['id'] !== undefined) data['id'] = 61
  if (data) data['title'] = 'changed'
}

const named = (): Args => ({ where: { id: 7 }, data: { title: 'asked' } })

type Begin = (sent: PromiseLike<unknown>) => PromiseLike<unknown>

const forms: Record<string, (client: Client, then: Begin) => unknown> = {
  update: ({ post }, then) => changed(named(), (args) => then(post['update']!(args))),
  updateMany: ({ post }, then) => changed(named(), (args) => then(post['updateMany']!(args))),
  delete: ({ post }, then) => changed({ where: { id: 7 } }, (args) => then(post['delete']!(args))),
  create: ({ post }, then) => changed({ data: { id: 60, slug: 'a' } }, (args) => then(post['create']!(args))),
  'the fluent API': ({ post }, then) => changed(named(), (args) => then(post['update']!(args).author())),
  'raw SQL': (client, then) => {
    const ids = [7n]
    const sent = then(client.$executeRawUnsafe('DELETE FROM "Post" WHERE id = ANY($1)', ids))
    ids[0] = 8n
    return sent
  },
  'a transaction of an array': (client, then) =>
    changed(named(), (args) => then(client.$transaction([client.post['update']!(args)]))),
  'a transaction of a callback': (client, then) =>
    client.$transaction((tx: Client) => changed(named(), (args) => then(tx.post['update']!(args)))),
}

function changed<T>(args: Args, send: (args: Args) => T): T {
  const sent = send(args)
  change(args)
  return sent
}

it.each(Object.entries(forms))('has them in the first write of a client: %s', async (_, send) => {
  const { extended, plain } = await ofBoth(async (client) => {
    // Prisma takes the arguments when `then` is called, which `await` does later.
    await send(client, (sent) => sent.then((value) => value))
    return posts()
  })
  expect(extended).toEqual(plain)
})

it('is sent in the order of the calls, the first of a client as well', async () => {
  const { extended, plain } = await ofBoth(async ({ post }) => {
    const titles = ['first', 'second', 'third']
    await Promise.all(titles.map((title) => post['update']!({ where: { id: 7 }, data: { title } })))
    return posts()
  })
  expect(extended).toEqual(plain)
})

it('fails at once where Prisma does: a transaction of something else', async () => {
  const { extended, plain } = await ofBoth(async (client) => {
    const outcomes: unknown[] = []
    for (const work of ['text', [Promise.resolve(1)], 5]) {
      try {
        await client.$transaction(work).catch((error: unknown) => outcomes.push(['later', String(error)]))
      } catch (error) {
        outcomes.push(['at once', String(error)])
      }
    }
    return outcomes
  })
  expect(extended).toEqual(plain)
})
