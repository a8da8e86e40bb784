import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { eventuallyEqual } from '../../support/eventually.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose } from './command-line.js'
import { listCache } from './list-cache.js'

let valkey: ValkeyServer
let admin: Redis
let namespace: string

beforeAll(async () => {
  valkey = await startValkey()
  admin = new Redis({ port: valkey.port })
})
afterAll(async () => {
  admin.disconnect()
  await valkey.stop()
})
beforeEach(async () => {
  namespace = `doctor_${randomUUID()}`
  await listCache(admin, namespace, { table: 'Lot' })
})

/** What the doctor finds while a follower reports this, or nothing. */
async function found(
  report: { readonly state: string; readonly lagMs: number } | undefined,
  args: readonly string[] = ['--follow'],
): Promise<string[]> {
  const say = (): void => {
    const of = { follower: 'a', atMs: performance.now(), lagBytes: 0, isStandby: false, caches: [] }
    void admin.publish(`${namespace}:{follow}`, JSON.stringify({ ...of, ...report }))
  }
  // More often than followers do, for the sake of time.
  const timer = report && setInterval(say, 20)
  try {
    const { findings } = await diagnose(['--valkey', valkey.url, '--namespace', namespace, ...args])
    return findings.flatMap(({ found, id, severity }) =>
      id === 'follow.running' ? [`${severity}: ${found}`] : [],
    )
  } finally {
    clearInterval(timer)
  }
}

describe('the doctor', () => {
  it.each([
    ['following', 1.6, 'ok: The log is followed, with a lag of 2 ms.'],
    ['following', 10_000, 'ok: The log is followed, with a lag of 10000 ms.'],
    ['following', 10_001, 'warning: A follower is following, with a lag of 10001 ms.'],
    ['opening', 0, 'warning: A follower is opening, with a lag of 0 ms.'],
  ])('hears that a follower is %s with a lag of %s ms', async (state, lagMs, expected) => {
    expect(await found({ state, lagMs })).toEqual([expected])
  })

  it('finds that nobody follows, and leaves no connection', async () => {
    expect(await found(undefined)).toEqual([`warning: No follower has reported to ${namespace} for 2 s.`])
    const connections = async () =>
      String(await admin.call('CLIENT', 'LIST')).match(/\bname=model-cache/g)?.length
    await eventuallyEqual(connections, undefined)
  })

  it('says nothing of followers if nobody is to follow, or there is no cache', async () => {
    expect(await found(undefined, [])).toEqual([])
    await admin.del(`${namespace}:{catalogue}`)
    expect(await found(undefined)).toEqual([])
  })
})
