import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeValkey, startValkey, type ValkeyServer } from '../../../../../test/support/valkey-server.ts'
import { startProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { table } from '../../harness/section.ts'
import { slopeOf, sum } from '../../harness/statistics.ts'
import { defineSuite, higher, lower, type RunOptions } from '../../harness/suite.ts'
import type { Handles, Soaked } from './soak-process.ts'

/** Part of the time in which compilers, pools and bounded caches find their sizes. */
const WARM_UP = 0.5
const SAMPLE_MS = 1_000
const FAULT_EVERY_MS = 15_000
/** Needed for a slope; on a busy machine they take longer than a quick run. */
const LEAST_SAMPLES = 3
/** Rows of the table, at most. */
const MAX_ROWS = 20

/** Tolerated slope of the heap beyond three times its error: 14 MB per day. */
const TOLERATED_KB_PER_MINUTE = 10
/** The slope of a shorter soak is that of a process which warms up. */
const TELLING_MINUTES = 5

const FAULTS = {
  restart: async (server: ValkeyServer): Promise<ValkeyServer> => {
    await server.stop()
    await sleep(500)
    return startValkey({ port: server.port })
  },
  hang: async (server: ValkeyServer): Promise<ValkeyServer> => {
    await server.kill('SIGSTOP')
    await sleep(2_000)
    await server.kill('SIGCONT')
    return server
  },
}

type Looked = Awaited<ReturnType<Soaked['sample']>>

async function measure({ quick, minutes = quick ? 0.5 : 10 }: RunOptions) {
  let server = await startValkey()
  const name = await describeValkey(server.url)
  say(`${name}: ${minutes} minutes of bursts`)
  const soaked = await startProcess<Soaked>(join(import.meta.dirname, 'soak-process.ts'), {
    env: { VALKEY_URL: server.url },
  })
  const over = new AbortController()
  const faults: Record<string, number> = {}
  const disturb = async (): Promise<void> => {
    const kinds = Object.entries(FAULTS)
    for (let turn = 0; ; turn++) {
      const signal = over.signal
      await sleep(FAULT_EVERY_MS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const [kind, inflict] = kinds[turn % kinds.length]!
      faults[kind] = (faults[kind] ?? 0) + 1
      server = await inflict(server)
    }
  }
  const disturbing = disturb()
  try {
    const looks: Looked[] = []
    const telling = () => looks.filter(({ sample }) => sample.minutes >= minutes * WARM_UP)
    const until = performance.now() + minutes * 60_000
    while (performance.now() < until || telling().length < LEAST_SAMPLES) {
      looks.push(await soaked.call('sample', SAMPLE_MS))
      if (looks.length % 15 === 0) {
        const { sample, progress } = looks.at(-1)!
        say(
          `${sample.minutes.toFixed(1)} min: heap ${(sample.heapKb / 1_000).toFixed(1)} MB, ` +
            `${progress.reads.toLocaleString('en')} reads, ${progress.errors} errors`,
        )
      }
    }
    over.abort()
    await disturbing
    looks.push(await soaked.call('sample', 0))
    const { perUnit, error } = slopeOf(telling().map(({ sample }) => [sample.minutes, sample.heapKb]))
    const result = {
      ...looks.at(-1)!.progress,
      server: name,
      minutes,
      faults,
      samples: looks.map(({ sample }) => sample),
      heapKbPerMinute: perUnit,
      heapKbPerMinuteError: error,
      handlesAtStart: looks[0]!.handles,
      handlesAtEnd: looks.at(-1)!.handles,
    }
    return { ...result, problems: problemsOf(result) }
  } finally {
    over.abort()
    await disturbing
    await soaked.stop()
    await server.stop()
  }
}

export interface Left {
  readonly minutes: number
  readonly errors: number
  readonly firstError?: string
  readonly heapKbPerMinute: number
  readonly heapKbPerMinuteError: number
  readonly handlesAtStart: Handles
  readonly handlesAtEnd: Handles
}

/** Why a soak fails: errors, a growing heap, handles that stay open. */
export function problemsOf(left: Left): string[] {
  const { errors, firstError, heapKbPerMinute, heapKbPerMinuteError, minutes } = left
  const growth = heapKbPerMinute - 3 * heapKbPerMinuteError
  const isGrowing = minutes >= TELLING_MINUTES && growth > TOLERATED_KB_PER_MINUTE
  return [
    ...(errors > 0 ? [`${errors} reads failed, the first: ${firstError}`] : []),
    ...(isGrowing
      ? [
          `The heap grows by ${heapKbPerMinute.toFixed(0)} ± ${heapKbPerMinuteError.toFixed(0)} kB per minute.`,
        ]
      : []),
    ...Object.entries(left.handlesAtEnd).flatMap(([type, count]) => {
      const before = left.handlesAtStart[type] ?? 0
      return count > before ? [`${count} open handles of ${type}, ${before} at the start.`] : []
    }),
  ]
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ') || 'none'

export const soakSuite = defineSuite({
  packages: ['ioredis', 'lru-cache'],
  measure,
  sections: ({ samples, ...soak }) => [
    table(
      'Heap between bursts',
      samples.filter((_, i) => i % Math.ceil(samples.length / MAX_ROWS) === 0),
      { minute: 'minutes', 'heap MB': ({ heapKb }) => heapKb / 1_000 },
      {
        text: [
          `${soak.server}. ${soak.minutes} minutes, ${soak.storms} bursts of ${soak.reads} reads, ${soak.loads} loads, ` +
            `${soak.invalidations} invalidations; faults of the server: ${listed(soak.faults)}.`,
        ],
        chart: { kind: 'line', x: 'minutes', y: 'MB of heap, after a collection' },
      },
    ),
    {
      title: 'What is left behind',
      text: [
        `The heap grows by ${soak.heapKbPerMinute.toFixed(1)} ± ${soak.heapKbPerMinuteError.toFixed(1)} kB per minute. Errors: ${soak.errors}.`,
        `Open handles at the start: ${listed(soak.handlesAtStart)}; at the end: ${listed(soak.handlesAtEnd)}.`,
      ],
    },
  ],
  conclusion: (soak) =>
    `After ${soak.minutes} minutes, ${soak.reads.toLocaleString('en')} reads and ${sum(Object.values(soak.faults))} faults of the server: ` +
    `${soak.errors} errors, a heap that changes by ${soak.heapKbPerMinute.toFixed(1)} ± ${soak.heapKbPerMinuteError.toFixed(1)} kB per minute, ` +
    `and ${sum(Object.values(soak.handlesAtEnd))} open handles, ${sum(Object.values(soak.handlesAtStart))} at the start.`,
  figures: (soak) => ({
    reads: higher(soak.reads / soak.minutes, 'per minute'),
    'loads per read': lower(soak.loads / soak.reads, 'loads'),
    'heap at the end': lower(soak.samples.at(-1)!.heapKb / 1_000, 'MB'),
    'heap growth': lower(soak.heapKbPerMinute, 'kB per minute'),
    'open handles': lower(sum(Object.values(soak.handlesAtEnd)), 'handles'),
    errors: lower(soak.errors, 'errors'),
  }),
  problems: ({ problems }) => problems,
})
