import slotOf from 'cluster-key-slot'
import { Cluster, type ClusterOptions } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import { writeValue } from 'model-cache/testing'
import { cachesCommand } from '../../../libs/cli/src/caches-command.js'
import { beginMove, ClusterControl, endMove, moveKeys } from '../../support/cluster-control.js'
import { eventually, eventuallyResolves } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkeyCluster, type ValkeyCluster, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose, faultsIn, findingOf } from '../doctor/command-line.js'

let servers: ValkeyCluster
let control: ClusterControl
const opened: ValkeyStore[] = []

beforeAll(async () => {
  servers = await startValkeyCluster({ primaries: 2, replicas: true })
  control = new ClusterControl(servers)
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  for (const replica of servers.replicas) await replica.kill('SIGCONT')
  for (const node of servers.nodes) await control.of(node).flushall()
})
afterAll(async () => {
  control.disconnect()
  await servers.stop()
})

/** Longer than a busy machine lets a command wait. */

async function open(
  options: ClusterOptions = {},
  deadlineMs = patientMs,
  parts: {
    onState?: (side: string, state: string, reason: string) => void
    onForeignKeys?: (n: number) => void
  } = {},
): Promise<ValkeyStore> {
  const addresses = servers.nodes.map(({ host, port }) => ({ host, port }))
  const client = new Cluster(addresses, { lazyConnect: true, ...options })
  const { onState, onForeignKeys } = parts
  const store = new ValkeyStore({ client, deadlineMs }, onState, onForeignKeys && { onForeignKeys })
  opened.push(store)
  await store.connect()
  return store
}

const app = { username: 'app', password: 'secret' }
const rowOf = (tag: string, id: string) => ({ key: `mc:{${tag}}:${id}`, guard: `mc:{${tag}}:${id}:l` })
/** Two rows of each of these tags, which both nodes have some of. */
const tags = Array.from({ length: 8 }, (_, i) => `Lot:${i}`)
const rows = tags.flatMap((tag) => [rowOf(tag, 'a'), rowOf(tag, 'b')])
const keys = rows.map(({ key }) => key)
const guards = rows.map(({ guard }) => guard)

const lease = (token: string) => ({ token, leaseMs: 60_000, onlyAbsent: true, onlyUnmarked: false })
const refusalsOf = async (store: ValkeyStore, of: typeof rows, token: string) =>
  (await store.leaseMany(of, lease(token))).map(({ refusal }) => refusal)

const calls = async (command: string): Promise<number> => {
  const counts = await Promise.all(servers.nodes.map((node) => control.calls(node, command)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The node that has a tag, and the other one. */
async function nodesOf(tag: string): Promise<[from: ValkeyServer, to: ValkeyServer]> {
  const slots = await control.of(servers.nodes[0]!).cluster('SLOTS')
  const slot = slotOf(tag)
  const range = slots.find(([first, last]) => slot >= first && slot <= last)!
  const [, , [, port]] = range as unknown as [number, number, [string, number]]
  const [first, second] = servers.nodes as [ValkeyServer, ValkeyServer]
  return first.port === port ? [first, second] : [second, first]
}

/** Moves a slot as far as a step goes, then to the end. */
async function move(tag: string, [from, to]: ValkeyServer[], step: (slot: number) => Promise<void>) {
  const slot = slotOf(tag)
  await beginMove(control, slot, from!, to!)
  try {
    await step(slot)
  } finally {
    while (await moveKeys(control, slot, from!, to!));
    await endMove(control, slot, from!, to!)
  }
}
const atOnce = async (): Promise<void> => {}

/** Runs something when so many keys of a tag have moved to the other node. Then the slot moves back. */
async function whileMoving(tag: string, count: number, run: () => Promise<void>): Promise<void> {
  const [from, to] = await nodesOf(tag)
  const moveSome = async (slot: number): Promise<void> => {
    const present = (await control.of(from).call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[]
    for (const key of present.toSorted().slice(0, count))
      await control.of(from).call('MIGRATE', to.host, to.port, '', 0, 5_000, 'REPLACE', 'KEYS', key)
    await run()
  }
  try {
    await move(tag, [from, to], moveSome)
  } finally {
    await move(tag, [to, from], atOnce)
  }
}

/** What a key holds, on whichever node. */
async function held(key: string): Promise<string | null> {
  const [from, to] = await nodesOf(/{(.*)}/.exec(key)![1]!)
  const ask = async (node: ValkeyServer): Promise<string | null> => {
    const client = control.of(node)
    const [, value] = await Promise.all([client.asking(), client.get(key).catch(() => null)])
    return value
  }
  return (await ask(from)) ?? ask(to)
}

describe('a store in a cluster', () => {
  it('reads values in the order of the keys, with one command for each tag', async () => {
    const store = await open()
    for (const key of keys.filter((_, i) => i % 3 > 0))
      await writeValue(store, key, `value of ${key}`, 60_000)
    const before = await calls('mget')
    const asked = [...keys.toReversed(), keys[1]!]
    expect(await store.getMany(asked)).toEqual(
      asked.map((key) => (keys.indexOf(key) % 3 > 0 ? `value of ${key}` : null)),
    )
    expect((await calls('mget')) - before).toBe(tags.length)
  })

  it('says which node has a key', async () => {
    const store = await open()
    for (const tag of tags) {
      const [{ host, port }] = await nodesOf(tag)
      expect(store.shardOf!(rowOf(tag, 'a').key)).toBe(`${host}:${port}`)
    }
    expect(new Set(keys.map((key) => store.shardOf!(key))).size).toBe(2)
  })

  it('grants, uses and ends leases, in the order of the rows', async () => {
    const store = await open()
    const some = rows.filter((_, i) => i % 3 === 0)
    expect(await refusalsOf(store, some, 'first')).toEqual(some.map(() => null))
    const answers = await store.leaseMany(rows, lease('second'))
    expect(answers.map(({ refusal }) => refusal)).toEqual(rows.map((_, i) => (i % 3 === 0 ? 'leased' : null)))
    const fills = rows.map((row, i) => ({
      ...row,
      token: answers[i]!.token ?? 'none',
      value: `value ${i}`,
      ttlMs: 60_000,
    }))
    expect(await store.fillMany(fills)).toEqual(rows.map((_, i) => i % 3 > 0))
    expect(await store.getMany(keys)).toEqual(rows.map((_, i) => (i % 3 > 0 ? `value ${i}` : null)))
    await store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000 })
    expect(await refusalsOf(store, rows, 'third')).toEqual(rows.map(() => 'fenced'))
    await store.releaseFences(rows, { token: 'writer', holdMs: 0, markMs: 1_000 })
    const [answer] = await store.leaseMany([rows[0]!], lease('fourth'))
    await store.releaseLeases([rows[0]!], answer!.token!)
    expect(await refusalsOf(store, [rows[0]!], 'fifth')).toEqual([null])
  })

  it('divides the rows of one tag into scripts of 64', async () => {
    const store = await open()
    const many = Array.from({ length: 130 }, (_, i) => rowOf('Lot:0', `row-${i}`))
    await store.leaseMany(many, lease('first'))
    const before = (await calls('evalsha')) + (await calls('eval'))
    expect(await refusalsOf(store, many, 'second')).toEqual(many.map(() => 'leased'))
    expect((await calls('evalsha')) + (await calls('eval')) - before).toBe(3)
  })

  it('counts the keys of another type that it replaces', async () => {
    const counted: number[] = []
    const store = await open({}, patientMs, { onForeignKeys: (count) => void counted.push(count) })
    const [from] = await nodesOf('Lot:0')
    await control.of(from).hset(rowOf('Lot:0', 'a').key, 'field', 'value')
    await refusalsOf(store, rows, 'first')
    expect(counted).toEqual([1])
  })

  it('says what to do where a node is given as a single server', async () => {
    const [, elsewhere] = await nodesOf('mc:{catalogue}')
    const store = new ValkeyStore({ url: elsewhere.url, deadlineMs: patientMs })
    opened.push(store)
    await store.connect()
    const remedy = 'give it a cluster client, `valkey: { client: new Cluster([…]) }`; see docs/cluster.md'
    expect(await store.advice()).toEqual([expect.stringContaining(remedy)])
    const asked = store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false })
    await expect(asked).rejects.toThrow(/CATALOGUE failed: MOVED .*is a node of a cluster/)
    await expect(asked).rejects.toThrow(remedy)
    expect(await (await open()).advice()).toEqual([])
    const diagnosis = await diagnose(['--valkey', elsewhere.url])
    expect(findingOf(diagnosis, 'valkey.version').found).toMatch(/, cluster\.$/)
  })

  it('changes registers and reads catalogues on their nodes', async () => {
    const store = await open()
    for (const tag of tags) {
      const join = { kind: 'join', listing: tag, lifeMs: 60_000, markMs: 1 } as const
      const { text } = await store.change(`mc:{${tag}}:register`, join)
      expect(await store.getMany([`mc:{${tag}}:register`])).toEqual([text])
      const put = new Map([['Lot:a:p', tag]])
      const key = `mc:{${tag}}`
      const { version, entries } = await store.askCatalogue(key, { known: '', isWriter: false, put })
      expect(entries).toMatchObject([{ text: tag }])
      const [, asked] = await Promise.all([
        store.fenceMany([rowOf('Lot:0', 'a')], { token: 'writer', fenceMs: 60_000, markMs: 1_000 }),
        store.askCatalogue(key, { known: version, isWriter: true }),
      ])
      expect(asked).toMatchObject({ version, entries: undefined })
    }
  })

  it('announces fences on a channel of any node', async () => {
    const store = await open()
    const heard: string[] = []
    for (const tag of tags)
      await store.messages.subscribe(
        `{${tag}}:written`,
        (message) => heard.push(`${tag} ${message}`),
        () => {},
      )
    for (const tag of tags) {
      const announcement = { channel: `{${tag}}:written`, message: 'fenced' }
      expect(
        await store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000, announcement }),
      ).toBe(true)
    }
    await eventually(() => heard.length === tags.length)
    expect(heard.toSorted()).toEqual(tags.map((tag) => `${tag} fenced`))
    await store.messages.unsubscribe('{Lot:0}:written')
    for (const tag of ['Lot:0', 'Lot:1']) await store.messages.publish(`{${tag}}:written`, 'again')
    await eventually(() => heard.includes('Lot:1 again'))
    expect(heard).not.toContain('Lot:0 again')
  })

  it('says so if a fence may not be announced', async () => {
    const rules = ['on', '>secret', '~*', '+@all', 'resetchannels', '&{Lot:1}*']
    for (const node of servers.nodes) await control.of(node).call('ACL', 'SETUSER', 'app', ...rules)
    const store = await open({ redisOptions: app })
    const fenced = await Promise.all(
      ['Lot:0', 'Lot:1'].map((tag) =>
        store.fenceMany(rows, {
          token: 'writer',
          fenceMs: 60_000,
          markMs: 1_000,
          announcement: { channel: `{${tag}}:written`, message: 'fenced' },
        }),
      ),
    )
    expect(fenced).toEqual([false, true])
    for (const guard of guards) expect(await held(guard)).toContain('writer@')
  })

  it('learns whether any of its nodes evicts keys', async () => {
    const [first, second] = servers.nodes as [ValkeyServer, ValkeyServer]
    const store = await open()
    expect(await store.advice()).toEqual([])
    await control.of(second).config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru')
    expect(await store.advice()).toEqual([expect.stringContaining('maxmemory-policy allkeys-lru')])
    expect(await store.mayEvictGuards()).toBe(true)
    await control.of(first).config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru')
    expect(await store.advice()).toHaveLength(1)
    for (const node of servers.nodes)
      await control.of(node).config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction')
  })
})

describe('a node that fails', () => {
  /** At times a single command tries whether the node answers again. That fails here. */
  const isBypassed = (command: () => Promise<unknown>): Promise<void> =>
    eventually(() =>
      command().then(
        () => {
          throw new Error('it has been answered')
        },
        (error: Error) => error.message.includes('is bypassed'),
      ),
    )

  it('is bypassed by itself, and its name is reported', async () => {
    const states: string[] = []
    const onState = (side: string, state: string, reason: string): void => {
      states.push(`${side} ${state} ${/\(node .*\)$/.exec(reason)?.[0]}`)
    }
    const [first, second] = servers.nodes as [ValkeyServer, ValkeyServer]
    for (const node of servers.nodes)
      await control.of(node).call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all')
    const store = await open({ redisOptions: app }, patientMs, { onState })
    await control.of(second).call('ACL', 'SETUSER', 'app', '-mget', '-set', '-ping')
    const of = (port: number) => rows.filter(({ key }) => store.shardOf!(key).endsWith(`:${port}`))
    const [working, failing] = [of(first.port), of(second.port)]
    for (let failures = 0; failures < 3; failures++) {
      await expect(store.getMany(keys)).rejects.toMatchObject({ code: 'E_STORE_FORBIDDEN' })
      await expect(refusalsOf(store, failing, 'first')).rejects.toThrow('LEASE failed: ')
    }
    const name = `(node 127.0.0.1:${second.port})`
    expect(states.toSorted()).toEqual([`reads down ${name}`, `writes down ${name}`])
    expect(await store.getMany(working.map(({ key }) => key))).toEqual(working.map(() => null))
    expect(await refusalsOf(store, working, 'second')).toEqual(working.map(() => null))
    const join = { kind: 'join', listing: 'p:d', lifeMs: 60_000, markMs: 1 } as const
    await isBypassed(() => store.change(failing[0]!.key, join))
    const request = { known: '', isWriter: false }
    await isBypassed(() => store.askCatalogue(failing[0]!.key, request))
    await store.change(working[0]!.key, join)
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE_FORBIDDEN' })
    await control.of(second).call('ACL', 'SETUSER', 'app', '+mget', '+set', '+ping')
    await store.ping()
    await eventuallyResolves(() => store.getMany(keys))
  })
})

describe('rows whose slot is moving key by key', () => {
  const moving = [rowOf('Lot:3', 'a'), rowOf('Lot:3', 'b')]
  const all = [rowOf('Lot:0', 'a'), ...moving]

  it('are read', async () => {
    const store = await open()
    for (const { key } of all) await writeValue(store, key, `value of ${key}`, 60_000)
    await whileMoving('Lot:3', 1, async () => {
      expect(await store.getMany(all.map(({ key }) => key))).toEqual(all.map(({ key }) => `value of ${key}`))
    })
  })

  it('are as good as fenced', async () => {
    const store = await open()
    for (const { key } of moving) await writeValue(store, key, 'value', 60_000)
    await whileMoving('Lot:3', 1, async () => {
      expect(await refusalsOf(store, all, 'first')).toEqual([null, 'fenced', 'fenced'])
      const fill = { ...moving[0]!, token: 'first', value: 'late', ttlMs: 60_000 }
      expect(await store.fillMany([fill, { ...fill, ...moving[1] }])).toEqual([false, false])
      await store.releaseLeases(moving, 'first')
    })
  })

  it.each([0, 1])('are fenced and released, with %d replicas', async (replicas) => {
    const store = await open()
    const first = () => store.fenceMany(rows, { token: 'first', fenceMs: 1, markMs: 1, replicas })
    await eventuallyResolves(first)
    await store.releaseFences(rows, { token: 'first', holdMs: 0, markMs: 1 })
    for (const { key } of moving) await writeValue(store, key, 'value', 60_000)
    await whileMoving('Lot:3', 1, async () => {
      expect(await store.fenceMany(all, { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas })).toBe(
        true,
      )
      for (const { key, guard } of all) {
        expect(await held(key)).toBeNull()
        expect(await held(guard)).toMatch(/^0;;writer@\d+$/)
      }
      expect(await store.releaseFences(all, { token: 'writer', holdMs: 0, markMs: 60_000, replicas })).toBe(
        true,
      )
      for (const { guard } of all) expect(await held(guard)).toMatch(/^\d+;;$/)
    })
  })

  it('fail as other commands do that the server refuses', async () => {
    const store = await open()
    for (const node of servers.nodes) await control.of(node).config('SET', 'maxmemory', '1')
    await expect(store.leaseMany(all, lease('first'))).rejects.toThrow('LEASE failed: OOM')
    for (const node of servers.nodes) await control.of(node).config('SET', 'maxmemory', '0')
  })
})

describe('a command in a cluster that a replica acknowledges', () => {
  /** A store whose waiting connections are open: it opens them with the first commands. */
  const openWaiting = async (...options: Parameters<typeof open>): Promise<ValkeyStore> => {
    const store = await open(...options)
    const isFenced = (): Promise<boolean> =>
      store.fenceMany(rows, { token: 'first', fenceMs: 60_000, markMs: 1_000, replicas: 1 }).then(
        () => true,
        () => false,
      )
    await eventually(isFenced)
    for (const node of servers.nodes) await control.of(node).flushall()
    return store
  }

  const onReplicas = async (): Promise<string[]> =>
    (await Promise.all(servers.replicas.map((replica) => control.of(replica).keys('*')))).flat().toSorted()

  it('is on the replicas of all nodes when it has been answered', async () => {
    const store = await openWaiting()
    await store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    expect(await onReplicas()).toEqual(guards.toSorted())
  })

  it.each([
    ['all keys are', 100],
    ['none is', 0],
  ])('follows its slot while %s on another node', async (_, count) => {
    const store = await openWaiting()
    const row = rowOf('Lot:3', 'a')
    await writeValue(store, row.key, 'value', 60_000)
    await store.fenceMany([row], { token: 'before', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    await whileMoving('Lot:3', count, async () => {
      await store.fenceMany([row], { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
      expect(await held(row.guard)).toContain('writer@')
      expect(await onReplicas()).toEqual([row.guard])
    })
    await store.fenceMany([row], { token: 'after', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    expect(await held(row.guard)).toContain('after@')
  })

  it('finds its slot on another node, of which the client has not learnt', async () => {
    const store = await openWaiting()
    const row = rowOf('Lot:3', 'a')
    await store.fenceMany([row], { token: 'before', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    const [from, to] = await nodesOf('Lot:3')
    await move('Lot:3', [from, to], atOnce)
    await store.fenceMany([row], { token: 'moved', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    expect(await control.of(to).get(row.guard)).toContain('moved@')
    await move('Lot:3', [to, from], atOnce)
    await store.fenceMany([row], { token: 'back', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    expect(await control.of(from).get(row.guard)).toContain('back@')
  })

  it('reaches nodes by the addresses that the application has for them', async () => {
    for (const as of ['a list', 'a function']) {
      const [from] = await nodesOf('Lot:3')
      const mapped = Object.fromEntries(
        [...servers.nodes, ...servers.replicas].map(({ host, port }) => [
          `${host}:${port}`,
          { host: 'localhost', port },
        ]),
      )
      const natMap = as === 'a list' ? mapped : (name: string) => mapped[name] ?? null
      const store = await openWaiting({ natMap, redisOptions: { family: 4 } })
      expect(store.shardOf!('{Lot:3}')).toBe(`localhost:${from.port}`)
      const row = rowOf('Lot:3', 'a')
      await writeValue(store, row.key, 'value', 60_000)
      await whileMoving('Lot:3', 100, async () => {
        await store.fenceMany([row], { token: as, fenceMs: 60_000, markMs: 1_000, replicas: 1 })
        expect(await held(row.guard)).toContain(`${as}@`)
      })
    }
  })

  it('opens a connection again to the node that its slot is moving to', async () => {
    const store = await openWaiting()
    const row = rowOf('Lot:3', 'a')
    const [, to] = await nodesOf('Lot:3')
    await whileMoving('Lot:3', 0, async () => {
      for (const client of String(await control.of(to).client('LIST')).split('\n'))
        if (client.includes('name=model-cache:wait'))
          await control.of(to).client('KILL', 'ID', /id=(\d+)/.exec(client)![1]!)
      expect(
        await store.fenceMany([row], { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas: 1 }),
      ).toBe(true)
      expect(await held(row.guard)).toContain('writer@')
    })
  })

  it('fails if the replicas of one node do not answer', async () => {
    const store = await openWaiting({}, 600)
    await store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas: 1 })
    const [replica] = servers.replicas as [ValkeyServer]
    await replica.kill('SIGSTOP')
    await expect(
      store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas: 1 }),
    ).rejects.toThrow(/0 of 1 replicas have acknowledged it in time|took longer/)
    await replica.kill('SIGCONT')
    await eventuallyResolves(() =>
      store.fenceMany(rows, { token: 'again', fenceMs: 60_000, markMs: 1_000, replicas: 1 }),
    )
  })
})

describe('the doctor of a cluster', () => {
  it('finds all nodes from any of them, also the replicas', async () => {
    for (const { url } of [servers.nodes[1]!, servers.replicas[0]!]) {
      const diagnosis = await diagnose(['--valkey', url, '--deadline-ms', '60000'])
      expect(faultsIn(diagnosis)).toEqual([])
      const roles = diagnosis.findings.filter(({ id }) => id === 'valkey.version')
      expect(roles.map(({ found }) => found.split(' ')[0]).toSorted()).toEqual(
        servers.nodes.map(({ port }) => `127.0.0.1:${port}`).toSorted(),
      )
      expect(findingOf(diagnosis, 'valkey.cluster-slots').found).toContain('by 2 primaries')
    }
    for (const node of [...servers.nodes, ...servers.replicas])
      await eventually(async () => !String(await control.of(node).client('LIST')).includes('model-cache:cli'))
  })

  it('tries the rights of each node, as the user of the URL', async () => {
    const [first, second] = servers.nodes as [ValkeyServer, ValkeyServer]
    const rules = ['on', '>secret', '~*', '+@all', '&*']
    for (const node of [...servers.nodes, ...servers.replicas])
      await control.of(node).call('ACL', 'SETUSER', 'app', ...rules)
    await control.of(second).call('ACL', 'SETUSER', 'app', '-ssubscribe', '-hget')
    const url = first.url.replace('://', '://app:secret@')
    const diagnosis = await diagnose(['--valkey', url, '--deadline-ms', '60000'])
    expect(faultsIn(diagnosis).toSorted()).toEqual([
      'error valkey.rights',
      'warning valkey.channels',
      'warning valkey.password',
    ])
    expect(findingOf(diagnosis, 'valkey.channels').found).toContain('ssubscribe')
    await control.of(first).call('ACL', 'SETUSER', 'app', '-cluster')
    expect(findingOf(await diagnose(['--valkey', url]), 'valkey.reachable').found).toContain('NOPERM')
  })

  it('reads the registers of all caches where they are', async () => {
    const store = await open()
    const names = ['Bid', 'Item', 'Lot', 'Sale', 'User', 'Vote']
    const put = new Map(names.map((name) => [`${name}:f:1`, '{"v":99}']))
    await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put })
    const fence = { kind: 'fence', scope: 'all', token: 'w', fenceMs: 60_000, markMs: 1 } as const
    for (const name of names) await store.change(`mc:{${name}}:register`, fence)
    const lines: string[] = []
    const line = (text: string): void => void lines.push(text)
    const args = ['--json', '--valkey', servers.nodes[1]!.url]
    await cachesCommand.run(args, { line, folder: import.meta.dirname, environment: {} })
    const { caches } = JSON.parse(lines.join('\n')) as { caches: unknown[] }
    expect(caches).toMatchObject(names.map((name) => ({ name, isFenced: true })))
  })
})
