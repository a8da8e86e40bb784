import { StoreError } from 'model-cache/internal'
import { answeringNode, findingLines, forbidden } from '../../../../../test/support/answering-node.js'
import { checkServer } from './check-server.js'
import { infoOf } from './server-facts.js'

const found = async (info: unknown): Promise<string[]> => {
  const node = answeringNode({ INFO: info })
  return findingLines(checkServer(node, await infoOf(node)))
}

const asItShouldBe = [
  'ok valkey.version: cache:6379 is Valkey 8.1.0, cluster.',
  'ok valkey.role: cache:6379 is a primary.',
  'ok valkey.eviction: cache:6379 has no maxmemory, and evicts nothing.',
  'ok valkey.replicas: cache:6379 has no replicas.',
]
const healthy =
  'valkey_version:8.1.0\r\nredis_version:7.2.4\r\nredis_mode:cluster\r\nrole:master\r\nmaxmemory:0\r\n'

describe('checkServer', () => {
  it('reads what INFO says line by line', async () => {
    expect(await found(`# Server\r\n${healthy}`)).toEqual(asItShouldBe)
    expect(await found(healthy.replaceAll('\r', ''))).toEqual(asItShouldBe)
    expect(await found(`${healthy}a note of role:slave\r\n`)).toEqual(asItShouldBe)
  })

  it('tells a server that forbids INFO from one that fails', async () => {
    expect(await found(forbidden('NOPERM'))).toEqual([
      'note valkey.info: cache:6379 does not let this user run INFO. → Run as an administrator: ACL SETUSER <user> +info',
    ])
    await expect(found(new StoreError('valkey', 'no connection'))).rejects.toThrow('no connection')
  })

  it.each([
    ['valkey_version:7.2.0', 'ok valkey.version: cache:6379 is Valkey 7.2.0, standalone.'],
    ['valkey_version:9.1.0\nserver_mode:cluster', 'ok valkey.version: cache:6379 is Valkey 9.1.0, cluster.'],
    ['redis_version:7.0.15\nredis_mode:sentinel', 'ok valkey.version: cache:6379 is Redis 7.0.15, sentinel.'],
    ['redis_version:6.2.14\ncluster_enabled:0', 'note valkey.version: cache:6379 is Redis 6.2.14. →'],
    ['redis_version:6.2.14\ncluster_enabled:1', 'error valkey.version: cache:6379 is Redis 6.2.14. →'],
    ['redis_version:6.0.16', 'error valkey.version: cache:6379 is Redis 6.0.16. →'],
    ['redis_version:5.9.0', 'error valkey.version: cache:6379 is Redis 5.9.0. →'],
    ['role:master', 'error valkey.version: cache:6379 is Redis of an unknown version. →'],
  ])('of the version %j it says: %s', async (info, expected) => {
    expect((await found(info))[0]).toContain(expected)
  })

  it('names the primary of a replica, and says nothing of the replicas of a replica', async () => {
    expect(
      await found(`${healthy}role:slave\nmaster_host:10.0.0.1\nmaster_port:6380\nslave0:state=wait_bgsave`),
    ).toEqual([
      asItShouldBe[0],
      'error valkey.role: cache:6379 is a replica of 10.0.0.1:6380. → Give the address of the primary, 10.0.0.1:6380, or ' +
        'Sentinels that know it (`valkey: { sentinels, name }`).',
      asItShouldBe[2],
    ])
  })

  const mib = 2 ** 20
  it.each([
    ['', 'noeviction', 0, ['ok valkey.eviction: cache:6379 has no maxmemory, and evicts nothing.']],
    [
      100 * mib,
      'noeviction',
      89,
      ['ok valkey.eviction: cache:6379 evicts nothing (maxmemory-policy noeviction).'],
    ],
    [
      100 * mib,
      'allkeys-lru',
      undefined,
      [
        'warning valkey.eviction: cache:6379 evicts keys when its memory is full (maxmemory-policy allkeys-lru). → ' +
          'CONFIG SET maxmemory-policy noeviction (managed services: the parameter group), on a server for caches alone.',
      ],
    ],
    [
      100 * mib,
      undefined,
      90,
      [
        expect.stringContaining('(maxmemory-policy unknown)'),
        'warning valkey.memory: cache:6379 uses 90 % of its maxmemory, 100 MiB. → ' +
          'CONFIG SET maxmemory 200mb, shorter ttls, or fewer rows; see docs/capacity.md.',
      ],
    ],
    [
      1_000,
      'noeviction',
      96,
      [
        'ok valkey.eviction: cache:6379 evicts nothing (maxmemory-policy noeviction).',
        expect.stringContaining('96 % of its maxmemory, 1 MiB. → CONFIG SET maxmemory 1mb,'),
      ],
    ],
  ])('of maxmemory %s with the policy %s, %s %% used', async (limit, policy, percent, expected) => {
    const info = [
      healthy.replace('maxmemory:0\r\n', limit === '' ? '' : `maxmemory:${limit}\r\n`),
      policy && `maxmemory_policy:${policy}\r\n`,
      percent !== undefined && `used_memory:${(Number(limit) * percent) / 100}\r\n`,
    ]
    expect((await found(info.filter(Boolean).join(''))).slice(2, -1)).toEqual(expected)
  })

  const fresh = 'ip=10.0.0.2,port=6379,state=online,offset=123,lag=10'
  it.each([
    [[fresh], 'ok valkey.replicas: cache:6379 has 1 replica.'],
    [[fresh, fresh], 'ok valkey.replicas: cache:6379 has 2 replicas.'],
    [
      [fresh, fresh.replace('lag=10', 'lag=11')],
      'warning valkey.replicas: 1 of 2 replicas of cache:6379 are not in sync: ip=10.0.0.2 port=6379 state=online lag=11. →',
    ],
    [
      [fresh.replace('online', 'wait_bgsave')],
      'are not in sync: ip=10.0.0.2 port=6379 state=wait_bgsave lag=10. →',
    ],
    [['of another form'], 'are not in sync: of another form. →'],
  ])('of the replicas %j it says: %s', async (replicas, expected) => {
    const lines = replicas.map((text, i) => `slave${i + 9}:${text}`)
    const others = ['slave_repl_offset:1', 'old_slave1:x', 'slave1_lag:9', 'connected_slaves:2']
    expect((await found([healthy, ...others, ...lines].join('\n'))).at(-1)).toContain(expected)
  })
})
