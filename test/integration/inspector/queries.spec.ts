import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type } from 'arktype'
import { cached, ModelCacheModule, modelCaches, provideExtendedPrisma, type Reads } from 'model-cache'
import type { CachesReport, ProcessCache, ProcessesReport, QueriesReport } from '@model-cache/inspector'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { runCommandLine } from '../../../libs/cli/src/run-command-line.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { guests, type InspectedApplication, useInspectedApplications } from './inspected-application.js'

const world = useInspectedApplications()
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const users = defineModelCache('User', { ttl: '1m', omit: { email: true, phone: true } })
const lots = defineModelCache('AuctionItem', {
  ttl: '1m',
  refine: { images: type({ image: 'string' }).array() },
})
const bundles = defineModelCache('SponsorBundle', {
  ttl: '1m',
  include: { sponsors: true },
  dependsOn: ['Sponsor'],
})

const token = Symbol('prisma')
let started = 0

async function startWith(
  reads: Reads,
  definitions: Parameters<typeof ModelCacheModule.forFeature>[0] = [users, lots, bundles],
  namespace = `${world.namespace}-${++started}`,
): Promise<{ app: InspectedApplication; prisma: PrismaClient }> {
  const provider = provideExtendedPrisma<object>(token as never, () => world.connect(), [], { reads })
  const app = await world.start({
    options: { prisma: token as never, namespace },
    imports: [
      ModelCacheModule.forFeature(definitions),
      { module: class Prisma {}, global: true, providers: [provider], exports: [token] },
    ],
  })
  return { app, prisma: app.app.get(token) }
}

async function coverageIn(app: InspectedApplication): Promise<Record<string, ProcessCache['coverage']>> {
  const { processes } = (await app.get('/inspector/api/v1/processes')).json as ProcessesReport
  return Object.fromEntries(processes[0]!.caches.map(({ coverage, name }) => [name, coverage]))
}

async function queriesOf(app: InspectedApplication, cache: string) {
  const { caches } = (await app.get('/inspector/api/v1/caches')).json as CachesReport
  return caches.find(({ name }) => name === cache)!.figures.sinceStart.queries
}

const ROOT = join(import.meta.dirname, '../../..')

/** What `npx model-cache suggest` prints for the queries that an application has counted. */
async function suggestedFor(app: InspectedApplication): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'queries-'))
  const lines: string[] = []
  try {
    const file = join(folder, 'queries.json')
    writeFileSync(file, (await app.get('/inspector/api/v1/queries')).text)
    await runCommandLine(['suggest', '--from', file, '--schema', join(ROOT, 'prisma/schema.prisma')], {
      line: (text) => lines.push(text),
      errorLine: (text) => lines.push(text),
      folder: ROOT,
      environment: {},
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
  return lines.join('\n').trim()
}

/** Fifty queries of the pages of the demo. */
async function showPages(prisma: PrismaClient): Promise<void> {
  for (let n = 0; n < 20; n++) {
    await prisma.auctionItem.findUnique({ where: { id: `lot-${n}` } })
    await prisma.auctionBid.findMany({
      where: { auctionItemId: `lot-${n}` },
      orderBy: [{ amount: 'desc' }, { id: 'asc' }],
      take: 10,
    })
  }
  for (let n = 0; n < 6; n++)
    await prisma.auctionItem.findUnique({
      where: { fundraiserId_lot: { fundraiserId: 'gala', lot: `A${n}` } },
    })
  for (let n = 0; n < 2; n++) {
    await prisma.user.findUnique({ where: { email: `${n}@example.org` } })
    await prisma.auctionItem.findMany({ where: { name: { contains: 'wine' } }, orderBy: { id: 'asc' } })
  }
}

describe('the guide for existing applications', () => {
  it('shows what suggest prints in shadow mode; pasted and switched on, these definitions answer the queries', async () => {
    const ttl = '10m'
    const plain = [
      defineModelCache('AuctionItem', { ttl }),
      defineModelCache('AuctionBid', { ttl }),
      defineModelCache('User', { ttl }),
    ]
    const shadow = await startWith('shadow', plain)
    await showPages(shadow.prisma)
    // A comparison in the background shows whether the cache would have answered.
    await eventually(async () => (await suggestedFor(shadow.app)).startsWith('50 queries'))
    const text = await suggestedFor(shadow.app)
    expect(readFileSync(join(ROOT, 'docs/adopt.md'), 'utf8')).toContain(text)

    const pasted = [
      defineModelCache('AuctionItem', { ttl, unique: { fundraiserIdLot: ['fundraiserId', 'lot'] } }),
      defineModelCache('AuctionBid', {
        ttl,
        lists: {
          first10OfAuctionItem: {
            by: 'auctionItemId',
            orderBy: [{ amount: 'desc' }, { id: 'asc' }],
            limit: 10,
          },
        },
      }),
      defineModelCache('User', { ttl, unique: { email: 'email' } }),
    ]
    const on = await startWith('all', pasted)
    await showPages(on.prisma)
    expect(await suggestedFor(on.app)).toMatch(/^50 queries: caches answer 96.0 %. No further definition/)
    expect(await queriesOf(on.app, 'AuctionBid')).toEqual({
      answered: 20,
      results: 0,
      shadowed: 0,
      bypassed: {},
    })
  })
})

describe('queries of Prisma', () => {
  it('are counted by what became of them, and by the reason why the database answered', async () => {
    const { app, prisma } = await startWith('all')
    await prisma.guestUser.findMany({ where: { id: 'a' } })
    await prisma.guestUser.findMany({ where: { email: 'ada@example.org' } })
    await prisma.guestUser.findMany({ where: { email: 'grace@example.org' } })
    await prisma.user.findMany({ where: { id: 'a' } })
    expect(await queriesOf(app, 'GuestUser')).toEqual({
      answered: 1,
      results: 0,
      shadowed: 0,
      bypassed: { condition: 2 },
    })
    expect(await queriesOf(app, 'User')).toEqual({
      answered: 0,
      results: 0,
      shadowed: 0,
      bypassed: { fields: 1 },
    })
  })

  it('that went to the database are counted by shape, without values, with what would answer them', async () => {
    const { app, prisma } = await startWith('all')
    for (const email of ['ada@example.org', 'grace@example.org'])
      await prisma.guestUser.findMany({ where: { email } })
    await prisma.auctionBid.findMany({ where: { auctionItemId: 'a' }, orderBy: { amount: 'desc' }, take: 10 })
    const answer = (await app.get('/inspector/api/v1/queries')).json as QueriesReport
    expect(JSON.stringify(answer)).not.toContain('example.org')
    const [{ models, root, suggestions }] = answer.roots as [QueriesReport['roots'][number]]
    expect(root).toBeNull()
    expect(models.find(({ model }) => model === 'GuestUser')!.bypassed).toEqual([
      {
        model: 'GuestUser',
        action: 'findMany',
        reason: 'condition',
        args: { where: { email: '?' } },
        query: 'findMany({ where: { email: ? } })',
        count: 2,
      },
    ])
    // No cache has this model.
    expect(models.find(({ model }) => model === 'AuctionBid')!.bypassed[0]!.reason).toBe('no_cache')
    expect(suggestions).toMatchObject({ total: 3, answered: 0, answeredThen: 3 })
    expect(suggestions.definitions.map(({ cache, lines, model }) => ({ cache, lines, model }))).toEqual([
      {
        model: 'GuestUser',
        cache: 'GuestUser',
        lines: expect.arrayContaining([expect.stringContaining("'email'")]),
      },
      {
        model: 'AuctionBid',
        cache: null,
        lines: expect.arrayContaining([expect.stringContaining('defineModelCache')]),
      },
    ])
  })

  it('of shadow mode are counted as such', async () => {
    const { app, prisma } = await startWith('shadow')
    await prisma.guestUser.findMany({ where: { id: 'a' } })
    await eventuallyEqual(() => queriesOf(app, 'GuestUser'), {
      answered: 0,
      results: 0,
      shadowed: 1,
      bypassed: {},
    })
    expect((await coverageIn(app)).GuestUser).toMatchObject({ mode: 'shadow' })
  })

  it('that no cache can answer are named by the fields that the cache lacks', async () => {
    const { app } = await startWith('all')
    expect(await coverageIn(app)).toEqual({
      GuestUser: { mode: 'answer', canAnswer: true, missing: [] },
      User: {
        mode: 'answer',
        canAnswer: true,
        missing: [
          { field: 'email', because: 'omitted' },
          { field: 'phone', because: 'omitted' },
        ],
      },
      AuctionItem: { mode: 'answer', canAnswer: true, missing: [{ field: 'images', because: 'reshaped' }] },
      SponsorBundle: { mode: 'answer', canAnswer: false, missing: [] },
    })
  })

  it('are nothing to caches that `reads` does not name', async () => {
    const { app } = await startWith([guests])
    expect(await coverageIn(app)).toEqual({
      GuestUser: { mode: 'answer', canAnswer: true, missing: [] },
      User: null,
      AuctionItem: null,
      SponsorBundle: null,
    })
  })

  it('are nothing to caches of a client without `reads`', async () => {
    expect(await coverageIn(await world.start())).toEqual({ GuestUser: null })
  })
})

it('names what keeps results of queries as foreign only if no process that answers has it', async () => {
  const namespace = `${world.namespace}-results`
  const { app, prisma } = await startWith({ results: { User: { ttl: '1h', by: 'country' } } }, [], namespace)
  const other = await startWith({ results: { AuctionBid: '1h' } }, [], namespace)
  await prisma.user.count({ where: { country: 'CH' } })
  await other.prisma.auctionBid.count()
  await cached(prisma, { ttl: '1m', tags: ['users'] }).user.count()
  const foreign = async () => ((await app.get('/inspector/api/v1/caches')).json as CachesReport).foreign
  expect(await foreign()).toEqual([])
  await other.app.close()
  expect(await foreign()).toEqual([{ root: null, name: 'AuctionBid.results', model: 'AuctionBid' }])
})
