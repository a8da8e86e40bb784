import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import { Command } from 'ioredis'
import type { AcknowledgedScripts } from './acknowledged-scripts.js'
import type { CatalogueCheck } from '../store.js'
import type { ValkeyClient } from './valkey-client.js'
import { digestOf } from './valkey-scripts.js'
import { ServerCheck } from './server-check.js'

/** How often the server of the catalogue is checked again. */
const checkMs = 2_000

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => void jest.useRealTimers())

/** A check that a server has received. */
interface Check {
  readonly keys: readonly string[]
  /** The seed of an epoch. */
  readonly seed: string | undefined
  /** What follows it. */
  readonly args: readonly string[]
  answer(...reply: string[]): void
  fail(reason: string): void
}

/** A connection that keeps commands until a test answers them. */
class FakeNode extends EventEmitter {
  readonly isCluster: boolean = false
  status = 'ready'
  stream = {}
  readonly options: { readonly host: string; readonly port: number; readOnly?: boolean }
  /** All checks since the start. */
  readonly checks: Check[] = []

  constructor(port = 1) {
    super()
    this.options = { host: 'h', port }
  }

  sendCommand(command: Command): Promise<unknown> {
    if (command.name !== 'evalsha') return command.promise
    const [digest, count, ...words] = command.args as string[]
    expect(digest).toBe(digestOf('serverCheck'))
    const [keys, [seed, ...args]] = [words.slice(0, Number(count)), words.slice(Number(count))]
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.checks.push({
      keys,
      seed,
      args,
      answer: (...reply) => resolve([0, reply]),
      fail: (reason) => reject(new Error(reason)),
    })
    return promise
  }

  /** Reads, and has the reply of the server at once. @returns what the caller has by now */
  read(name = 'mget') {
    const command = new Command(name, ['key'], { replyEncoding: 'utf8' })
    const found: string[] = []
    command.promise.then(
      (value) => found.push(String(value)),
      (error: Error) => found.push(error.message),
    )
    // With a listener of its own, as the reply of ASKING has none.
    this.sendCommand(command).catch(() => {})
    command.resolve(Buffer.from('value'))
    return found
  }

  /** The connection is lost, and there is another one. */
  reconnect(): void {
    this.stream = {}
    this.emit('ready')
  }
}

/** A cluster whose slots are at the first two of three nodes. */
class FakeCluster extends FakeNode {
  override readonly isCluster = true
  readonly all = [1, 2, 3].map((port) => new FakeNode(port))
  readonly slots = [['h:1', 'h:3'], ['h:2'], ['h:4']]

  nodes(): FakeNode[] {
    return this.all
  }
}

const opened: ServerCheck[] = []
afterEach(() => {
  for (const serverCheck of opened.splice(0)) serverCheck.stop()
})

function open<Client extends FakeNode>(client: Client) {
  const acknowledged: unknown[][] = []
  const scripts = { run: async (...args: unknown[]) => void acknowledged.push(args) }
  const demoted = jest.fn()
  const serverCheck = new ServerCheck(
    client as unknown as ValkeyClient,
    1_000_000,
    scripts as unknown as AcknowledgedScripts,
    demoted,
  )
  opened.push(serverCheck)
  const found: CatalogueCheck[] = []
  const watch = (key = 'c', replicas = 0): CatalogueCheck[] => {
    const ofThis: CatalogueCheck[] = []
    serverCheck.watch(key, (check) => (ofThis.push(check), found.push(check)), replicas)
    return ofThis
  }
  return { client, serverCheck, watch, found, acknowledged, demoted }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
async function pass(times = 1): Promise<void> {
  for (let i = 0; i < times; i++) {
    jest.advanceTimersByTime(checkMs)
    await settle()
  }
}
const live = ['live', 'e', '5', 'run', '0'] as const
const isLive = { finding: 'live', epoch: 'e' }
const keysOf = (key: string) => [key, `${key}:epoch`, `${key}:servers`]

/** Answers a check, and has it take effect. */
async function answer(check: Check | undefined, ...reply: readonly string[]): Promise<void> {
  check!.answer(...(reply.length > 0 ? reply : live))
  await settle()
}
async function fail(check: Check | undefined): Promise<void> {
  check!.fail('busy')
  await settle()
}

describe('the server check of a server', () => {
  it('checks a catalogue at once, then again, with what it has learned last', async () => {
    const { client, watch } = open(new FakeNode())
    const found = watch()
    expect(client.checks).toMatchObject([{ keys: keysOf('c'), args: ['', '', ''] }])
    await answer(client.checks[0], 'new', '', '5', 'run', '0')
    const again = [
      [
        ['old', 'f', '10', 'other', '0'],
        ['run', '5', ''],
      ],
      [
        ['live', 'f', '9', 'other', '0'],
        ['other', '10', ''],
      ],
      [
        ['empty', 'f', '11', 'other', '0'],
        ['other', '10', ''],
      ],
      [live, ['other', '11', '']],
    ] as const
    for (const [reply, args] of again) {
      await pass()
      expect(client.checks.at(-1)!.args).toEqual(args)
      await answer(client.checks.at(-1), ...reply)
    }
    expect(found).toEqual([
      { finding: 'new', epoch: null },
      { finding: 'old', epoch: 'f' },
      { finding: 'live', epoch: 'f' },
      { finding: 'empty', epoch: 'f' },
      isLive,
    ])
  })

  it('reports to each listener of a catalogue, and to no other', async () => {
    const { client, watch } = open(new FakeNode())
    const [first, second, other] = [watch(), watch(), watch('d')]
    await answer(client.checks[0])
    expect([first, second, other]).toEqual([[isLive], [isLive], []])
    expect(client.checks.slice(1).map(({ keys }) => keys)).toEqual([keysOf('c'), keysOf('d')])
    await answer(client.checks[2], 'new', '', '5', 'run', '0')
    expect(other).toEqual([{ finding: 'new', epoch: null }])
    expect(first).toHaveLength(1)
  })

  it('reports to no listener that has ended', async () => {
    const { client, serverCheck, watch } = open(new FakeNode())
    const found = watch()
    const ended: CatalogueCheck[] = []
    serverCheck.watch('c', (check) => ended.push(check), 0)()
    await answer(client.checks[0])
    expect([found, ended]).toEqual([[isLive], []])
  })

  it('checks no catalogue that nobody watches any more, and again one that somebody does', async () => {
    const { client, serverCheck } = open(new FakeNode())
    const watch = (key: string) => serverCheck.watch(key, () => {}, 0)
    /** Answers the checks that something causes. @returns their catalogues */
    const checkedBy = async (cause: () => unknown): Promise<(string | undefined)[]> => {
      const { length } = client.checks
      await cause()
      const checks = client.checks.slice(length)
      for (const check of checks) await answer(check)
      return checks.map(({ keys }) => keys[0])
    }
    const ends: (() => void)[] = []
    expect(await checkedBy(() => ends.push(watch('c')))).toEqual(['c'])
    expect(await checkedBy(() => ends.push(watch('d')))).toEqual(['c', 'd'])
    expect(await checkedBy(() => ends.push(watch('d')))).toEqual([])
    ends[1]!()
    expect(await checkedBy(pass)).toEqual(['c', 'd'])
    ends[2]!()
    expect(await checkedBy(pass)).toEqual(['c'])
    // There are as many now as the connection was checked for.
    expect(await checkedBy(() => ends.push(watch('e')))).toEqual(['c', 'e'])
    ends[0]!()
    ends[3]!()
    expect(await checkedBy(pass)).toEqual([])
    expect(await checkedBy(() => watch('d'))).toEqual(['d'])
    ends[2]!()
    expect(await checkedBy(pass)).toEqual(['d'])
  })

  it('reports that the server does not say what it is, which counts as checked', async () => {
    const { client, serverCheck, watch } = open(new FakeNode())
    const found = watch()
    await answer(client.checks[0], 'unknown')
    await serverCheck.settled()
    expect(found).toEqual([{ finding: 'unknown', epoch: undefined }])
    expect(client.checks).toHaveLength(1)
    await pass()
    await answer(client.checks[1])
    await pass()
    await answer(client.checks[2], 'unknown')
    await pass()
    expect(client.checks[3]!.args).toEqual(['run', '5', ''])
  })

  it('takes no answer of a replica', async () => {
    const { client, serverCheck, watch } = open(new FakeNode())
    const found = watch()
    const settled = serverCheck.settled()
    client.checks[0]!.answer('slave', 'run')
    await expect(settled).rejects.toThrow('the server is a replica')
    expect(found).toEqual([])
  })

  it('says that the server has become a replica, not that a new connection leads to one', async () => {
    const { client, watch, found, demoted } = open(new FakeNode())
    watch()
    await answer(client.checks[0], 'slave', 'run')
    await pass()
    await answer(client.checks[1], 'slave', 'run')
    expect(demoted).not.toHaveBeenCalled()
    client.reconnect()
    await answer(client.checks[2])
    await pass()
    expect(demoted).not.toHaveBeenCalled()
    await answer(client.checks[3], 'slave', 'run')
    expect(demoted).toHaveBeenCalledTimes(1)
    client.reconnect()
    await answer(client.checks[4], 'slave', 'run')
    expect(demoted).toHaveBeenCalledTimes(1)
    expect(found).toEqual([isLive])
  })

  it('checks once at a time, also after a check that has failed', async () => {
    const { client, watch } = open(new FakeNode())
    watch()
    watch('c')
    await answer(client.checks[0])
    await pass(3)
    expect(client.checks).toHaveLength(2)
    await fail(client.checks[1])
    await pass()
    expect(client.checks).toHaveLength(3)
    await answer(client.checks[2])
    await pass()
    expect(client.checks).toHaveLength(4)
  })

  it('opens no connection, and checks none that is not open', async () => {
    const { client, serverCheck, watch } = open(new FakeNode())
    client.status = 'reconnecting'
    watch()
    await serverCheck.settled()
    await pass()
    expect(client.checks).toEqual([])
    client.status = 'ready'
    await pass()
    expect(client.checks).toHaveLength(1)
  })

  it('waits for no replica, whatever the server says', async () => {
    const { client, watch, acknowledged } = open(new FakeNode())
    watch('c', 2)
    await answer(client.checks[0], 'live', 'e', '5', 'run', '1')
    expect(acknowledged).toEqual([])
    expect(client.checks).toHaveLength(1)
  })
})

describe('a connection', () => {
  it.each(['mget', 'get'])('has its %s answered after its check', async (name) => {
    const { client, watch } = open(new FakeNode())
    watch()
    const found = [client.read(name), client.read(name)]
    await settle()
    expect(found).toEqual([[], []])
    expect(client.checks).toHaveLength(1)
    await answer(client.checks[0])
    expect(found).toEqual([['value'], ['value']])
    const later = client.read(name)
    await settle()
    expect(later).toEqual(['value'])
    expect(client.checks).toHaveLength(1)
  })

  it('has no read answered if its check fails; the next read has it checked again', async () => {
    const { client, watch } = open(new FakeNode())
    watch()
    const found = client.read()
    await fail(client.checks[0])
    expect(found).toEqual(['model-cache: valkey: CHECK failed: busy'])
    const next = client.read()
    await settle()
    expect([next, client.checks.length]).toEqual([[], 2])
    await answer(client.checks[1])
    expect(next).toEqual(['value'])
  })

  it('has other commands answered at once; ASKING, before a redirected read, starts its check', async () => {
    const { client, watch } = open(new FakeNode())
    client.status = 'wait'
    watch()
    client.status = 'ready'
    const set = client.read('set')
    await settle()
    expect([set, client.checks]).toEqual([['value'], []])
    const asking = client.read('asking')
    await settle()
    expect([asking, client.checks.length]).toEqual([['value'], 1])
  })

  it('may fail the check that ASKING starts, which nothing waits for', async () => {
    const unhandled: unknown[] = []
    const listener = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', listener)
    const { client, watch } = open(new FakeNode())
    client.status = 'wait'
    watch()
    client.status = 'ready'
    client.read('asking')
    await fail(client.checks[0])
    await settle()
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })

  it('is not checked by a read while it is not open', async () => {
    const { client, watch } = open(new FakeNode())
    client.status = 'connecting'
    watch()
    const found = client.read()
    await settle()
    expect([found, client.checks]).toEqual([['value'], []])
  })

  it('is checked again when it is another one, without a read or with the first', async () => {
    const { client, watch } = open(new FakeNode())
    watch()
    await answer(client.checks[0])
    client.reconnect()
    expect(client.checks).toHaveLength(2)
    await answer(client.checks[1])
    client.stream = {}
    const found = client.read()
    await settle()
    expect([found, client.checks.length]).toEqual([[], 3])
    await answer(client.checks[2])
    expect(found).toEqual(['value'])
  })

  it('is not checked because the one before it was', async () => {
    const { client, watch } = open(new FakeNode())
    watch()
    client.reconnect()
    expect(client.checks).toHaveLength(2)
    await answer(client.checks[0])
    const found = client.read()
    await settle()
    expect([found, client.checks.length]).toEqual([[], 2])
    await answer(client.checks[1])
    expect(found).toEqual(['value'])
  })
})

describe('the server check of a cluster', () => {
  const facts = (node: number) => ['master', `run ${node}`, 'id', 'former', '1', '2']

  function openCluster() {
    const cluster = new FakeCluster()
    const all = open(cluster)
    for (const node of cluster.all) cluster.emit('+node', node)
    return { ...all, cluster, nodes: cluster.all as [FakeNode, FakeNode, FakeNode] }
  }

  it('asks each primary what it is, and tells the node of the catalogue', async () => {
    const { cluster, nodes, watch, serverCheck } = openCluster()
    const found = watch()
    expect(nodes.map(({ checks }) => checks.map(({ keys, seed, args }) => [keys, seed, args]))).toEqual([
      [[[], undefined, []]],
      [[[], undefined, []]],
      [],
    ])
    expect(cluster.checks).toEqual([])
    await answer(nodes[0].checks[0], ...facts(1))
    expect(cluster.checks).toMatchObject([{ keys: keysOf('c'), args: ['', '', '', ...facts(1)] }])
    const read = nodes[0].read()
    await settle()
    expect(read).toEqual([])
    await answer(cluster.checks[0])
    expect([read, found]).toEqual([['value'], [isLive]])
    await answer(nodes[1].checks[0], ...facts(2))
    await answer(cluster.checks[1])
    await serverCheck.settled()
    expect(nodes[2].checks).toEqual([])
  })

  it('sends no command to a node that it learns of before there are catalogues', () => {
    for (const { checks } of openCluster().nodes) expect(checks).toEqual([])
  })

  it('reports a node that does not say what it is', async () => {
    const { cluster, nodes, watch } = openCluster()
    const found = [watch(), watch('d')]
    await answer(nodes[0].checks[0], 'unknown')
    await answer(nodes[0].checks[1], 'unknown')
    const unknown = { finding: 'unknown', epoch: undefined }
    for (const each of found) expect(each).toContainEqual(unknown)
    expect(cluster.checks).toEqual([])
  })

  it('takes a node that has become a replica for unchecked', async () => {
    const { cluster, nodes, watch, found } = openCluster()
    watch()
    const read = nodes[0].read()
    await answer(nodes[0].checks[0], 'slave', 'run', 'id', 'former', '1', '2')
    expect(read).toEqual(['model-cache: valkey: the server is a replica'])
    expect([cluster.checks, found]).toEqual([[], []])
  })

  it('checks a node again that its client has answer as a replica since, and once more as a primary', async () => {
    const { cluster, nodes, watch } = openCluster()
    watch()
    const [node] = nodes
    await answer(node.checks[0], ...facts(1))
    await answer(cluster.checks[0])
    node.options.readOnly = true
    const reads = [node.read(), node.read()]
    await settle()
    expect([reads, node.checks.length]).toEqual([[[], []], 2])
    await answer(node.checks[1], 'slave', 'run', 'id', 'former', '1', '2')
    const refused = ['model-cache: valkey: the server is a replica']
    expect(reads).toEqual([refused, refused])
    node.options.readOnly = false
    const later = node.read()
    await answer(node.checks[2], ...facts(1))
    await answer(cluster.checks[1])
    expect(later).toEqual(['value'])
  })

  it('takes no node for checked because it was a primary when its check began', async () => {
    const { cluster, nodes, watch } = openCluster()
    watch()
    const [node] = nodes
    node.options.readOnly = true
    node.read()
    await answer(node.checks[0], ...facts(1))
    await answer(cluster.checks[0])
    const read = node.read()
    await settle()
    expect(read).toEqual([])
    await answer(node.checks[1], 'slave', 'run', 'id', 'former', '1', '2')
    expect(read).toEqual(['model-cache: valkey: the server is a replica'])
  })

  it('checks the node of the catalogue again, and all nodes each thirtieth time', async () => {
    const { cluster, nodes, watch } = openCluster()
    watch('c', 2)
    for (const node of nodes.slice(0, 2)) await answer(node.checks[0], ...facts(1))
    for (const check of cluster.checks) await answer(check)
    for (let round = 1; round <= 2; round++) {
      for (let i = 1; i < 30; i++) {
        const { length } = cluster.checks
        await pass()
        expect(cluster.checks).toHaveLength(length + 1)
        expect(cluster.checks.at(-1)!.args).toEqual(['run', '5', ''])
        await answer(cluster.checks.at(-1), 'live', 'e', '5', 'run', '1')
      }
      expect(nodes.map(({ checks }) => checks.length)).toEqual([round, round, 0])
      const { length } = cluster.checks
      await pass()
      expect(nodes.map(({ checks }) => checks.length)).toEqual([round + 1, round + 1, 0])
      expect(cluster.checks).toHaveLength(length)
      for (const node of nodes.slice(0, 2)) await answer(node.checks.at(-1), ...facts(1))
      for (const check of cluster.checks.slice(length)) await answer(check)
    }
  })

  it.each([
    ['1', 2, true],
    ['0', 2, false],
    ['1', 0, false],
  ])('has an epoch acknowledged that is pending: %s, by %i replicas', async (isPending, replicas, isDone) => {
    const { cluster, nodes, watch, acknowledged } = openCluster()
    watch('c', replicas)
    const read = nodes[0].read()
    await answer(nodes[0].checks[0], ...facts(1))
    await answer(cluster.checks[0], 'old', 'e', '5', 'run', isPending)
    expect(acknowledged).toEqual(
      isDone
        ? [['serverCheck', keysOf('c'), [expect.any(String), 'run', '5', '', ...facts(1)], replicas]]
        : [],
    )
    expect(cluster.checks.slice(1)).toMatchObject(
      isDone ? [{ keys: keysOf('c'), args: ['run', '5', 'e', ...facts(1)] }] : [],
    )
    expect(read).toEqual(isDone ? [] : ['value'])
    if (isDone) await answer(cluster.checks[1])
    expect(read).toEqual(['value'])
  })
})
