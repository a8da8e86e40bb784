import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster, Redis } from 'ioredis'
import { ModelCacheWrites, type ValkeyStoreOptions } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import { eventually, eventuallyEqual, eventuallyResolves } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkey, startValkeyCluster, type ValkeyServer } from '../../support/valkey-server.js'
import { type L1Row, l1Rows } from '../l1-rows.js'

/** The line of docs/operations.md, as it stands there. */
function documentedUser(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const block = /```\n(ACL SETUSER [^`]*)```/.exec(page)?.[1]
  if (!block) throw new Error('docs/operations.md has no ACL SETUSER')
  return block.trim().split(/\s+/)
}

class Administrators {
  readonly #clients: Redis[]

  constructor(servers: readonly ValkeyServer[]) {
    this.#clients = servers.map(({ host, port }) => new Redis({ host, port }))
  }

  async createUser(): Promise<void> {
    const [command, ...rest] = documentedUser()
    const [known] = (await this.#clients[0]!.call('COMMAND', 'INFO', 'client|setinfo')) as unknown[]
    // The page says so: the rule of a server that is older than Redis 7.2 is without it.
    const rules = known ? rest : rest.filter((rule) => rule !== '+client|setinfo')
    await Promise.all(this.#clients.map((client) => client.call(command!, ...rules)))
  }

  async setRule(rule: string): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.call('ACL', 'SETUSER', 'app', rule)))
  }

  /** What was refused, on any server. */
  async refusals(): Promise<unknown[]> {
    return (
      await Promise.all(this.#clients.map((client) => client.call('ACL', 'LOG') as Promise<unknown[]>))
    ).flat()
  }

  disconnect(): void {
    for (const client of this.#clients) client.disconnect()
  }
}

/** A process of its own, on rows that all share. */
async function openPod(options: ValkeyStoreOptions, rows: Map<string, L1Row>) {
  const store = new ValkeyStore({ deadlineMs: patientMs, ...options })
  await store.connect()
  const writes = new ModelCacheWrites()
  const source = {
    load: async (ids: readonly string[]) =>
      ids.flatMap((id) => rows.get(id) ?? []).map((row) => ({ ...row })),
    mayBlameOneId: () => false,
  }
  const warnings: string[] = []
  const cache = createModelCache(l1Rows, {
    store,
    source,
    writes,
    warn: (message) => warnings.push(message),
  })
  const write = async (row: L1Row, all = false): Promise<void> => {
    const unit = writes.begin()
    if (all) unit.markAllWritten('Row', 'unknown')
    else unit.markWritten('Row', [{ ...row }])
    await unit.fence()
    rows.set(row.id, row)
    await unit.end()
  }
  const close = async (): Promise<void> => {
    await cache.close()
    await store.close()
  }
  return { cache, store, warnings, write, close }
}

async function exercise(options: () => ValkeyStoreOptions): Promise<void> {
  const rows = new Map(Array.from({ length: 200 }, (_, i) => [`${i}`, { id: `${i}`, version: 1 }]))
  const [writer, reader] = [await openPod(options(), rows), await openPod(options(), rows)]
  // A cluster client connects to its nodes one by one.
  for (const { store } of [writer, reader]) await eventuallyResolves(() => store.ping())
  expect(await reader.store.advice()).toEqual([])
  const ids = [...rows.keys()]
  for (const { cache } of [writer, reader]) expect(await cache.getMany(ids)).toStrictEqual([...rows.values()])
  await eventually(async () => (await reader.cache.explain('7')).stored.isHit)
  await eventually(async () => (await reader.cache.explain('7')).l1!.isTrusted)

  for (const [version, all] of [
    [2, false],
    [3, true],
  ] as const) {
    await writer.write({ id: '7', version }, all)
    expect(await writer.cache.get('7')).toStrictEqual({ id: '7', version })
    await eventuallyEqual(async () => (await reader.cache.get('7'))?.version, version)
  }
  await reader.cache.prime([{ id: '7', version: 3 }])
  await reader.cache.invalidate('7')
  await reader.cache.invalidateAll()
  await eventually(async () => {
    await reader.cache.get('7')
    return (await reader.cache.explain('7')).stored.isHit
  })
  expect([...writer.warnings, ...reader.warnings]).toEqual([])
  await writer.close()
  await reader.close()
}

describe('the ACL user of docs/operations.md may run every command of the library', () => {
  it('on a single server', async () => {
    const valkey = await startValkey()
    const admin = new Administrators([valkey])
    await admin.createUser()
    await exercise(() => ({ url: `${valkey.url.replace('://', '://app:password@')}/1` }))
    expect(await admin.refusals()).toEqual([])
    admin.disconnect()
    await valkey.stop()
  })

  it('on a cluster', async () => {
    const { nodes, stop } = await startValkeyCluster()
    const admin = new Administrators(nodes)
    await admin.createUser()
    const addresses = nodes.map(({ host, port }) => ({ host, port }))
    const redisOptions = { username: 'app', password: 'password' }
    await exercise(() => ({ client: new Cluster(addresses, { lazyConnect: true, redisOptions }) }))
    expect(await admin.refusals()).toEqual([])
    admin.disconnect()
    await stop()
  }, 120_000)
})

describe('a user without a right', () => {
  it.each([
    ['-eval', "run the 'eval' command. Add +eval to the rule of its user"],
    ['-set', "run the 'set' command script: on @user_script:"],
    ['resetkeys', 'access a key. Add ~<namespace>:* to the rule of its user'],
  ])('%s has a warning that names it, and what to add', async (rule, expected) => {
    const valkey = await startValkey()
    const admin = new Administrators([valkey])
    await admin.createUser()
    await admin.setRule(rule)
    const url = valkey.url.replace('://', '://app:password@')
    const { close, warnings, write } = await openPod({ url }, new Map())
    await write({ id: '7', version: 1 })
    await eventually(() => Promise.resolve(warnings.some((warning) => warning.includes(expected))))
    expect(warnings.every((warning) => !/(eval|set)' command/.test(warning) || / Add \+/.test(warning))).toBe(
      true,
    )
    await close()
    admin.disconnect()
    await valkey.stop()
  })
})
