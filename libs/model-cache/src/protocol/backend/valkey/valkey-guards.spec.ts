import type { Command } from 'ioredis'
import { PiggybackedRequests } from './piggybacked-requests.js'
import type { GuardedKey } from '../store.js'
import type { ValkeyClient } from './valkey-client.js'
import { change, leaseMany, type ScriptRunner } from './valkey-guards.js'
import { digestOf, type Script, type ScriptReply } from './valkey-scripts.js'

const names = ['lease', 'change'] as const

/** A script that a server receives. */
interface Run {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** A server whose scripts return what a function says, and what runs on it. */
function serverOf(replyOf: (run: Run) => unknown) {
  const runs: Run[] = []
  const client = {
    isCluster: false,
    options: {},
    sendCommand: async ({ args }: Command): Promise<ScriptReply> => {
      const [digest, count, ...words] = args as [string, string, ...string[]]
      const script = names.find((name) => digestOf(name) === digest)!
      const run = { script, keys: words.slice(0, Number(count)), args: words.slice(Number(count)) }
      runs.push(run)
      return [0, replyOf(run)]
    },
  }
  const runner: ScriptRunner = {
    client: client as unknown as ValkeyClient,
    questions: new PiggybackedRequests((callback) => process.nextTick(callback)),
    onForeignKeys: () => {},
  }
  return { runner, runs }
}

const rowOf = (id: string) => ({ key: `{Lot:0}${id}`, guard: `{Lot:0}${id}:l` })
/** The keys of rows, as scripts take them. */
const keysOf = (...rows: readonly GuardedKey[]) => rows.flatMap(({ key, guard }) => [guard, key])

const [a, b] = [rowOf('a'), rowOf('b')]
const request = { token: 't', leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false }

describe('leases', () => {
  it.each([
    [{ leaseMs: 1_000.4 }, ['t', '1000', '0', '0', '']],
    [{ leaseMs: 0.2, onlyAbsent: true }, ['t', '1', '1', '0', '']],
    [{ leaseMs: 1.6, onlyUnmarked: true, untilMs: 70.6 }, ['t', '2', '0', '1', '70']],
  ])('are requested with whole milliseconds and conditions: %j', async (changed, args) => {
    const { runner, runs } = serverOf(() => 't@1')
    await leaseMany(runner, [a, b], { ...request, ...changed })
    expect(runs).toEqual([{ script: 'lease', keys: keysOf(a, b), args }])
  })
})

describe('a change of a register', () => {
  it.each([
    [
      { kind: 'join', listing: 'p:d', lifeMs: 60_000.4, markMs: 0.2 } as const,
      ['join', '', '1', 'p:d', '60000'],
    ],
    [
      { kind: 'extend', listing: 'p:d', lifeMs: 60_000, markMs: 10 } as const,
      ['extend', '', '10', 'p:d', '60000'],
    ],
    [{ kind: 'expire', markMs: 10 } as const, ['expire', '', '10', '', '0']],
    [
      { kind: 'fence', scope: 'all', token: 'w', fenceMs: 70_000, markMs: 10 } as const,
      ['fence', 'all', '10', 'w', '70000'],
    ],
    [
      { kind: 'release', scope: 'existence', token: 'w', holdMs: 0, markMs: 10 } as const,
      ['release', 'existence', '10', 'w', '0'],
    ],
  ])('has a seed of its own: %j', async (each, [kind, scope, ...others]) => {
    const { runner, runs } = serverOf(() => ['text', '7', 1])
    const publish = async (): Promise<boolean> => false
    expect(await change(runner, 'register', each, publish)).toEqual({
      text: 'text',
      nowMs: 7,
      isAnnounced: true,
    })
    await change(runner, 'register', each, publish)
    for (const { script, keys, args } of runs) {
      expect([script, keys]).toEqual(['change', ['register']])
      expect(args).toEqual([kind, scope, expect.any(String), ...others])
    }
    expect(runs[0]!.args[2]).not.toBe(runs[1]!.args[2])
  })
})
