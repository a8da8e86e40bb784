import { ModelCacheModule, modelCaches, provideExtendedPrisma, type Reads } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { openPrisma, ownOptions, start } from './application.js'

const database = useOpened(openPrisma)

describe('the line at the start', () => {
  const { defineModelCache } = modelCaches<Prisma.TypeMap>()
  const users = defineModelCache('GuestUser', { ttl: '1m' })
  const names = defineModelCache('GuestUser', { ttl: '1m', select: { id: true, name: true } })
  const bundles = defineModelCache('SponsorBundle', {
    ttl: '1m',
    include: { sponsors: true },
    dependsOn: ['Sponsor'],
  })
  const linesOf = async (reads: Reads | undefined, definitions: readonly object[]) => {
    const client = database.another()
    const options = { ...ownOptions(), namespace: 'start-line' }
    const { app, logger } = await start(
      [
        ModelCacheModule.forRoot({ ...options, prisma: 'PRISMA' }),
        ModelCacheModule.forFeature(definitions as never),
      ],
      [provideExtendedPrisma('PRISMA', () => client, [], reads && { reads })],
    )
    await app.close()
    await client.$disconnect()
    const line = logger.logged.find((text) => text.includes('namespace "start-line"'))!
    return { line: line.replaceAll(/database .*\), valkey 127.*?(?=\. |\.$)/g, '…'), warned: logger.warned }
  }
  const lacking =
    'Queries of GuestUser without `select` go to the database: its caches do not have email, createdAt as the database does.'
  const shadow = 'In shadow mode the database answers all queries, and caches are compared with it.'
  const silent = 'No queries are answered by SponsorBundle, whose rows are not just fields of their models.'

  it.each<readonly [string, Reads | undefined, readonly object[], string, readonly string[]]>([
    ['no `reads`', undefined, [users, bundles], '2 caches (GuestUser, SponsorBundle), reads: none', []],
    ['all caches', 'all', [users], '1 cache (GuestUser), reads: all', []],
    ['shadow mode', 'shadow', [users], `1 cache (GuestUser), reads: shadow|${shadow}`, []],
    ['a list', [users], [users, bundles], '2 caches (GuestUser, SponsorBundle), reads: GuestUser', []],
    [
      'caches that can answer a part of all queries',
      'all',
      [names, bundles],
      `2 caches (GuestUser, SponsorBundle), reads: all|${lacking} ${silent}`,
      [],
    ],
    [
      'caches that can answer none',
      'all',
      [bundles],
      `1 cache (SponsorBundle), reads: all|${silent}`,
      [expect.stringContaining('no cache can answer queries')],
    ],
    [
      'no caches',
      'all',
      [],
      'no caches, reads: all',
      [expect.stringContaining('no cache is registered, so the database answers all queries. Import Model')],
    ],
    [
      'results of queries',
      { results: { GuestUser: '1h', User: '1m' } },
      [],
      'no caches, reads: all, results of GuestUser, User',
      [],
    ],
    [
      'a list with caches that are not registered',
      [users, names],
      [bundles],
      '1 cache (SponsorBundle), reads: GuestUser',
      [expect.stringContaining('`reads` lists GuestUser, which no module registers')],
    ],
  ])('says what it means with %s', async (_, reads, definitions, expected, warnings) => {
    const { line, warned } = await linesOf(reads, definitions)
    const [parts, notes] = expected.split('|')
    const rest = reads === undefined && definitions.length === 0 ? /valkey 127[^ ]*\d\./ : /…\./
    const found = line.replace(rest, '…')
    expect(found).toBe(`${parts}, namespace "start-line", …${notes ? ` ${notes}` : ''}`)
    expect(warned).toEqual(warnings)
  })

  it('names the root, the database and the store', async () => {
    const { app, logger } = await start([
      ModelCacheModule.forRoot({ ...ownOptions(), prisma: database.another(), writes: 'manual' }),
      ModelCacheModule.forFeature([users]),
      ModelCacheModule.forRoot({ ...ownOptions(), name: 'billing', valkey: undefined } as never),
    ])
    await app.close()
    expect(logger.logged).toContainEqual(
      expect.stringMatching(
        /^1 cache \(GuestUser\), reads: none, namespace "configuration-.*", database "test_\w+", schema "public" \(PostgreSQL \d+, 127\.0\.0\.1:\d+\), valkey 127\.0\.0\.1:\d+\/\d+\.$/,
      ),
    )
    expect(logger.logged).toContainEqual(
      expect.stringMatching(/^Root "billing": no caches, namespace "configuration-.*", memory\.$/),
    )
  })
})
