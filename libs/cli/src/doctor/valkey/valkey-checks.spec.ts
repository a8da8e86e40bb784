import {
  type CatalogueListing,
  type DescribedCache,
  StoreError,
  type ValkeyNodes,
} from 'model-cache/internal'
import {
  answeringNode,
  type AnsweringNode,
  answeringNodes,
  type Answers,
  findingLines,
  forbidden,
} from '../../../../../test/support/answering-node.js'
import { diagnose } from '../doctor.js'
import { type ValkeyContext, valkeyChecks } from './valkey-checks.js'

const cache = (name: string): DescribedCache =>
  ({ name, layout: name, fingerprint: '1', description: {} }) as unknown as DescribedCache
const listing = (...names: string[]): CatalogueListing =>
  ({ epoch: 'epoch', caches: names.map(cache) }) as unknown as CatalogueListing

/** An address where nothing listens. */
const nowhere = { url: 'valkey://127.0.0.1:1' }
const info = 'valkey_version:8.1.0\r\nrole:master\r\nmaxmemory:0\r\n'

const primary = (answers: Answers = {}, name?: string): AnsweringNode =>
  answeringNode({ INFO: info, TIME: ['0', '0'], WAIT: 0, 'CONFIG GET': ['save', ''], ...answers }, name)
const nodesOf = (primaries: readonly AnsweringNode[], changed: Partial<ValkeyNodes> = {}): ValkeyNodes => ({
  ...answeringNodes(primaries),
  connection: nowhere,
  ...changed,
})

const checksOf = (context: Partial<ValkeyContext>) =>
  valkeyChecks({
    nodes: Promise.resolve(nodesOf([primary()])),
    listed: Promise.resolve(listing()),
    namespace: 'shop',
    deadlineMs: 250,
    isFollowed: false,
    replicas: 0,
    ...context,
  })

/** What one check finds, or all of them. */
async function found(context: Partial<ValkeyContext>, id?: string): Promise<string[]> {
  const checks = checksOf(context).filter((check) => id === undefined || check.id === id)
  expect(checks.length).toBeGreaterThan(0)
  return findingLines((await diagnose(checks, 60_000)).findings)
}
const idsIn = (lines: readonly string[]): string[] => lines.map((line) => /^\w+ ([\w.-]+)/.exec(line)![1]!)

const unreached: Promise<never> = Promise.reject(new StoreError('valkey', 'connect ECONNREFUSED'))
unreached.catch(() => {})

describe('valkeyChecks', () => {
  it('says once that a server cannot be reached', async () => {
    expect(await found({ nodes: unreached, listed: unreached, isFollowed: true, replicas: 1 })).toEqual([
      'error valkey.reachable: Valkey cannot be used: connect ECONNREFUSED. → ' +
        'Start the server, or correct the URL: --valkey, by default VALKEY_URL.',
    ])
  })

  it('names the servers that answer', async () => {
    const nodes = Promise.resolve(nodesOf([primary({}, 'a:1'), primary({}, 'b:2')]))
    expect(await found({ nodes }, 'valkey.reachable')).toEqual([
      'ok valkey.reachable: Valkey answers at a:1, b:2.',
    ])
  })

  it('checks each primary: its settings, what it keeps on its disk, its answers and its clock', async () => {
    const nodes = Promise.resolve(nodesOf([primary({}, 'a:1'), primary({}, 'b:2')]))
    const [ofServer, ofLatency] = [
      await found({ nodes }, 'valkey.server'),
      await found({ nodes, deadlineMs: 60_000 }, 'valkey.latency'),
    ]
    const settings = ['version', 'role', 'eviction', 'replicas', 'persistence'].map((id) => `valkey.${id}`)
    expect(idsIn(ofServer)).toEqual([...settings, ...settings])
    expect(ofServer[5]).toContain('b:2 is Valkey 8.1.0')
    expect(idsIn(ofLatency)).toEqual(['valkey.latency', 'valkey.clock', 'valkey.latency', 'valkey.clock'])
    expect(ofLatency[2]).toContain('ok valkey.latency: b:2 answers in')
  })
})

describe('the check of rights', () => {
  const publishes = ({ sent }: AnsweringNode): string[] =>
    sent.flatMap((line) => /^S?PUBLISH shop:\{(.*?)\}:written/.exec(line)?.[1] ?? [])

  it('tries the channel of each cache once, of fifty at most, and of those alone that are listed', async () => {
    const names = Array.from({ length: 51 }, (_, i) => `cache${i}`)
    const tried = async (listed: Promise<CatalogueListing>): Promise<string[]> => {
      const node = primary({ SET: forbidden('NOPERM') })
      const lines = await found({ nodes: Promise.resolve(nodesOf([node])), listed }, 'valkey.rights')
      expect(idsIn(lines)).toEqual(['valkey.rights', 'valkey.channels'])
      return publishes(node)
    }
    expect(await tried(Promise.resolve(listing(...names, ...names)))).toEqual(names.slice(0, 50))
    expect(await tried(unreached)).toEqual([])
  })

  it('goes on with replicas and a row if all that is missing is a channel', async () => {
    const node = primary({ PUBLISH: forbidden('NOPERM') })
    const lines = await found({ nodes: Promise.resolve(nodesOf([node])), replicas: 1 }, 'valkey.rights')
    expect(idsIn(lines)).toEqual([
      'valkey.rights',
      'valkey.channels',
      'valkey.replica-count',
      'valkey.writable',
    ])
    expect(lines[3]).toContain('error valkey.writable: A row could not be stored: ')
  })

  it('ends with slots that no node has', async () => {
    const slots = [{ first: 1, last: 16_383, nodes: ['cache:6379'], unannounced: [] }]
    const nodes = Promise.resolve(nodesOf([primary()], { isCluster: true, slots }))
    expect(idsIn(await found({ nodes, replicas: 1 }, 'valkey.rights'))).toEqual([
      'valkey.rights',
      'valkey.channels',
    ])
  })

  it.each([
    ['is not made where a primary announces no address', ['cache:6379'], 0],
    ['is made where a replica announces none', ['replica:1'], 2],
  ])('%s', async (_, unannounced, count) => {
    const slots = [
      { first: 2, last: 16_383, nodes: ['cache:6379', 'replica:1'], unannounced: [] },
      { first: 1, last: 1, nodes: ['cache:6379', 'replica:1'], unannounced },
    ]
    const nodes = Promise.resolve(nodesOf([primary()], { isCluster: true, slots }))
    expect(await found({ nodes }, 'valkey.rights')).toHaveLength(count)
  })
})

describe('the checks of caches', () => {
  it('say nothing if the catalogue cannot be read', async () => {
    expect(await found({ listed: unreached, isFollowed: true }, 'caches.listed')).toEqual([])
    expect(await found({ listed: unreached, isFollowed: true }, 'follow.running')).toEqual([])
  })

  it('say nothing of databases if the processes cannot be listed', async () => {
    const nodeOf = () => {
      throw new StoreError('valkey', 'no node of the cluster has slot 1')
    }
    const nodes = Promise.resolve(nodesOf([primary({ '': forbidden('NOPERM') })], { nodeOf }))
    expect(await found({ nodes }, 'caches.databases')).toEqual([])
  })
})
