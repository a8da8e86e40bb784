import { jest } from '@jest/globals'
import { Redis } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import { writeValue } from 'model-cache/testing'
import type { ValkeyStoreOptions } from 'model-cache'
import { eventually } from '../../support/eventually.js'
import { type WatchedValkey, startWatchedValkey } from '../../support/valkey-server.js'
import { allAreHits, openCache, permits, startBurst, VersionedRows } from './versioned-rows.js'

jest.setTimeout(120_000)

describe.each([
  ['dies', 'SIGKILL', ({ sentinels, name }: WatchedValkey): ValkeyStoreOptions => ({ sentinels, name })],
  [
    'hangs',
    'SIGSTOP',
    ({ sentinels, name }: WatchedValkey): ValkeyStoreOptions => ({
      client: new Redis({ sentinels, name, lazyConnect: true }),
    }),
  ],
] as const)('a primary that sentinels watch and that %s', (_, signal, optionsOf) => {
  let valkey: WatchedValkey
  beforeAll(async () => {
    valkey = await startWatchedValkey()
  })
  afterAll(() => valkey.stop())

  it('is bypassed until its replica is promoted, and no read fails', async () => {
    const database = new VersionedRows(1_000)
    const { cache, states, store, close } = await openCache(database, {
      ...optionsOf(valkey),
      deadlineMs: 2_000,
    })
    await cache.prime(database.all())
    await eventually(() => allAreHits(cache, database))
    const burst = startBurst(cache, database)
    await burst.goesOn(5)
    const replica = new Redis(valkey.replica.port, valkey.replica.host)
    const isPromoted = async (): Promise<boolean> =>
      (await replica.info('replication')).includes('role:master')

    await valkey.primary.kill(signal)
    for (let i = 0; !(await isPromoted()); i++) {
      const id = database.ids[i % database.ids.length]!
      database.write(id)
      await cache.invalidate(id)
    }
    await eventually(() => allAreHits(cache, database))
    await burst.goesOn(5)
    await burst.stop()
    expect(burst.faults).toEqual([])
    expect(database.atOnce).toBeLessThanOrEqual(permits)
    expect(states.filter((state) => state.startsWith('reads'))).toEqual(['reads down', 'reads up'])
    await store.ping()
    await writeValue(store, 'written', 'by the store', 60_000)
    expect(await replica.get('written')).toBe('by the store')
    await close()
    await replica.quit()
  })
})

describe('sentinels', () => {
  it.each([
    [{ sentinels: [], name: 'rows' }, 'option "valkey.sentinels" is an array of 0'],
    [{ sentinels: ['sentinel-1'], name: 'rows' }, 'option "valkey.sentinels" is an array of 1'],
    [{ sentinels: [{ host: 'sentinel-1' }] }, 'option "valkey.name" is undefined'],
    [
      { url: 'valkey://x', options: { sentinels: [{ host: 'sentinel-1' }], name: 'rows' } },
      'give `valkey: { sentinels, name }` instead of a URL',
    ],
  ])('are refused as %j', (options, message) => {
    expect(() => new ValkeyStore(options as never)).toThrow(message)
  })
})
