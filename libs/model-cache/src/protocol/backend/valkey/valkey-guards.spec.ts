import type { Command } from 'ioredis'
import { PiggybackedRequests } from './piggybacked-requests.js'
import type { CatalogueAnswer, GuardedKey } from '../store.js'
import type { ValkeyClient } from './valkey-client.js'
import { change, fenceMany, leaseMany, releaseFences, type ScriptRunner } from './valkey-guards.js'
import { digestOf, type Script, type ScriptReply } from './valkey-scripts.js'

const names = ['lease', 'fill', 'releaseLeases', 'fence', 'releaseFences', 'remove', 'change'] as const

/** A script that a server receives, or the one command that is no script. */
interface Run {
  readonly script: Script | 'unlink'
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

interface FakeOptions {
  readonly isCluster?: boolean
  /** Replicas acknowledge each script. */
  readonly isAcknowledged?: boolean
}

/** A server whose scripts return what a function says, and what runs on it. */
function serverOf(
  replyOf: (run: Run) => unknown,
  { isCluster = false, isAcknowledged = false }: FakeOptions = {},
) {
  const runs: Run[] = []
  const reply = async (run: Run): Promise<ScriptReply> => {
    runs.push(run)
    return [0, replyOf(run)]
  }
  const client = {
    isCluster,
    options: {},
    sendCommand: ({ args }: Command) => {
      const [digest, count, ...words] = args as [string, string, ...string[]]
      const script = names.find((name) => digestOf(name) === digest)!
      return reply({ script, keys: words.slice(0, Number(count)), args: words.slice(Number(count)) })
    },
    unlink: async (key: string) => void runs.push({ script: 'unlink', keys: [key], args: [] }),
  }
  const runner: ScriptRunner = {
    client: client as unknown as ValkeyClient,
    questions: new PiggybackedRequests((callback) => process.nextTick(callback)),
    onForeignKeys: () => {},
    ...(isAcknowledged && {
      acknowledge: (script, keys, args) => reply({ script, keys, args: args.map(String) }),
    }),
  }
  return { runner, runs }
}

const rowOf = (id: number | string, tag = 'Lot:0') => ({ key: `{${tag}}${id}`, guard: `{${tag}}${id}:l` })
const rowsOf = (count: number) => Array.from({ length: count }, (_, id) => rowOf(id))
/** The keys of rows, as scripts take them. */
const keysOf = (...rows: readonly GuardedKey[]) => rows.flatMap(({ key, guard }) => [guard, key])

const [a, b] = [rowOf('a'), rowOf('b')]
const request = { token: 't', leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false }
const announcement = { channel: 'written', message: 'fenced' }

/** An announcement of a fence, and the messages that no script has published. */
function announced(isAllowed = true) {
  const published: unknown[] = []
  const publish = async (each: unknown) => {
    published.push(each)
    return isAllowed
  }
  return { published, announcement, publish }
}

const unused = async (): Promise<boolean> => true

const moving = (): never => {
  throw new Error('TRYAGAIN Multiple keys request during rehashing of slot')
}

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

describe('rows whose slot is moving', () => {
  it.each([
    [false, 'unlink'],
    [true, 'remove'],
  ])(
    'are fenced one guard at a time, before their values go; acknowledged: %p',
    async (isAcknowledged, remove) => {
      for (const fence of [
        (runner: ScriptRunner) =>
          fenceMany(runner, [a, b], { token: 'w', fenceMs: 60_000, markMs: 10 }, unused),
        (runner: ScriptRunner) =>
          releaseFences(runner, [a, b], { token: 'w', holdMs: 0, markMs: 10 }, unused),
      ]) {
        const { runner, runs } = serverOf(({ keys }) => (keys.length > 1 ? moving() : [1]), {
          isCluster: true,
          isAcknowledged,
        })
        expect(await fence(runner)).toBe(true)
        const [{ script, args }, ...others] = runs as [Run, ...Run[]]
        expect(others).toEqual([
          { script, keys: [a.guard], args },
          { script, keys: [b.guard], args },
          { script: remove, keys: [a.key], args: [] },
          { script: remove, keys: [b.key], args: [] },
        ])
      }
    },
  )
})

describe('fences', () => {
  const fence = (runner: ScriptRunner, rows: readonly GuardedKey[], by?: ReturnType<typeof announced>) =>
    fenceMany(
      runner,
      rows,
      { token: 'w', fenceMs: 60_000, markMs: 10, announcement: by?.announcement },
      by?.publish ?? unused,
    )
  const release = (runner: ScriptRunner, rows: readonly GuardedKey[], by?: ReturnType<typeof announced>) =>
    releaseFences(
      runner,
      rows,
      { token: 'w', holdMs: 0, markMs: 10, announcement: by?.announcement },
      by?.publish ?? unused,
    )
  const both = [
    ['fence', fence, ['w', '60000', '10', '']],
    ['releaseFences', release, ['w', '0', '10']],
  ] as const

  it.each(both)('are announced by the script of 64 rows: %s', async (script, run, args) => {
    for (const [count, isAnnounced] of [
      [1, true],
      [64, true],
      [64, false],
    ] as const) {
      const { runner, runs } = serverOf(() => [isAnnounced ? 1 : 0])
      const by = announced()
      expect(await run(runner, rowsOf(count), by)).toBe(isAnnounced)
      const keys = keysOf(...rowsOf(count))
      expect(runs).toEqual([{ script, keys, args: [...args, 'written', 'fenced'] }])
      expect(by.published).toEqual([])
    }
  })

  it.each(both)('are announced by the last script of more rows: %s', async (script, run, args) => {
    for (const isAcknowledged of [false, true]) {
      const { runner, runs } = serverOf(() => [1], { isAcknowledged })
      const by = announced()
      const rows = rowsOf(150)
      expect(await run(runner, rows, by)).toBe(true)
      expect(runs).toEqual([
        { script, keys: keysOf(...rows.slice(0, 64)), args },
        { script, keys: keysOf(...rows.slice(64, 86)), args },
        { script, keys: keysOf(...rows.slice(86)), args: [...args, 'written', 'fenced'] },
      ])
      expect(by.published).toEqual([])
    }
  })
})

describe('a question that a fence may carry', () => {
  const question = { keys: ['catalogue', 'catalogue:epoch'], known: 'e.1' } as const
  const alone: CatalogueAnswer = { epoch: 'e', version: 'e.2', nowMs: 9, entries: [] }
  const answered = { epoch: 'e', version: 'e.1', nowMs: 7, entries: undefined }
  const ask = ({ questions }: ScriptRunner) => questions.ask(question, async () => alone)
  const fence = (runner: ScriptRunner, rows: readonly GuardedKey[], by = announced()) =>
    fenceMany(
      runner,
      rows,
      { token: 'w', fenceMs: 60_000, markMs: 10, announcement: by.announcement },
      by.publish,
    )

  it.each([1, 64])('is answered by the fence of %d rows', async (count) => {
    const rows = rowsOf(count)
    const { runner, runs } = serverOf(() => [1, '7'])
    expect(await Promise.all([ask(runner), fence(runner, rows)])).toEqual([answered, true])
    const keys = [...keysOf(...rows), ...question.keys]
    expect(runs).toEqual([{ script: 'fence', keys, args: ['w', '60000', '10', 'e.1', 'written', 'fenced'] }])
  })

  it('is answered by a fence that is not announced, or may not be', async () => {
    const { runner, runs } = serverOf(() => [0, '7'])
    const silent = fenceMany(runner, [a], { token: 'w', fenceMs: 60_000, markMs: 10 }, unused)
    expect(await Promise.all([ask(runner), silent])).toEqual([answered, false])
    expect(runs[0]!.args).toEqual(['w', '60000', '10', 'e.1'])
    expect(await Promise.all([ask(runner), fence(runner, [a])])).toEqual([answered, false])
  })

  it('is asked alone if the fence fails', async () => {
    const { runner } = serverOf(() => {
      throw new Error('OOM')
    })
    const [asked, fenced] = await Promise.allSettled([ask(runner), fence(runner, [a])])
    expect(asked).toEqual({ status: 'fulfilled', value: alone })
    expect(fenced).toMatchObject({ status: 'rejected', reason: { message: 'OOM' } })
  })

  it.each([
    ['no rows', 0, {}],
    ['more rows than a script has', 65, {}],
    ['rows of a cluster', 1, { isCluster: true }],
    ['rows whose fence replicas acknowledge', 1, { isAcknowledged: true }],
  ] as const)('is asked alone with a fence of %s', async (_, count, options) => {
    const { runner, runs } = serverOf(() => [1, '7'], options)
    expect(await Promise.all([ask(runner), fence(runner, rowsOf(count))])).toEqual([alone, true])
    for (const { keys } of runs) expect(keys).not.toContain('catalogue')
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
