import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeValkey, startValkey, type ValkeyServer } from '../../../../test/support/valkey-server.ts'
import { slopeOf } from '../measure/slope.ts'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { problemsOf } from './problems-of.ts'
import { soakFigures } from './soak-figures.ts'
import { presentSoak } from './present-soak.ts'
import type { SoakMeasurements } from './soak-measurements.ts'
import type { SoakMessage } from './soak-process.ts'

/** Part of the time after which compilers, pools and all that is kept up to a bound have found their sizes. */
const WARM_UP = 0.5
const ILL_EVERY_MS = 15_000
/** What a slope needs, and on a busy machine takes longer than a quick look at it. */
const LEAST_SAMPLES = 3

/** Whether hours of storms, with a server that falls ill every now and then, leave anything behind in a process. */
export const soakSuite: Suite<SoakMeasurements> = {
  packages: ['ioredis', 'lru-cache'],
  run: soak,
  present: presentSoak,
  figures: soakFigures,
  problems: ({ problems }) => problems,
}

async function soak({ quick, minutes = quick ? 0.5 : 10 }: RunOptions): Promise<SoakMeasurements> {
  const server = await startValkey()
  const patient = { server }
  const messages: SoakMessage[] = []
  const child = fork(join(import.meta.dirname, 'soak-process.ts'), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, VALKEY_URL: server.url },
  })
  const exited = once(child, 'exit')
  child.on('message', (message) => messages.push(message as SoakMessage))
  const illnesses: Record<string, number> = {}
  try {
    const name = await describeValkey(server.url)
    say(`${name}: ${minutes} minutes of storms`)
    const until = performance.now() + minutes * 60_000
    const isOver = (): boolean => child.exitCode !== null || performance.now() >= until
    for (let turn = 0; !isOver(); turn++) {
      await Promise.race([sleep(Math.min(ILL_EVERY_MS, until - performance.now())), exited])
      if (isOver()) break
      const [illness, befall] = ILLNESSES[turn % ILLNESSES.length]!
      illnesses[illness] = (illnesses[illness] ?? 0) + 1
      await befall(patient)
      const { sample, progress } = messages.at(-1)!
      say(
        `${sample.minutes.toFixed(1)} min: heap ${(sample.heapKb / 1_000).toFixed(1)} MB, ` +
          `${progress.reads.toLocaleString('en')} reads, ${progress.errors} errors; ${illness} …`,
      )
    }
    while (child.exitCode === null && settled(messages, minutes).length < LEAST_SAMPLES) {
      await Promise.race([once(child, 'message'), exited])
    }
    if (child.connected) child.send('stop')
    const [code, signal] = (await exited) as [number | null, string | null]
    return measured(name, minutes, messages, illnesses, signal ?? code)
  } finally {
    child.kill()
    await patient.server.stop()
  }
}

const ILLNESSES: readonly [string, (patient: { server: ValkeyServer }) => Promise<void>][] = [
  [
    'restart',
    async (patient) => {
      await patient.server.stop()
      await sleep(500)
      patient.server = await startValkey({ port: patient.server.port })
    },
  ],
  [
    'hang',
    async ({ server }) => {
      await server.kill('SIGSTOP')
      await sleep(2_000)
      await server.kill('SIGCONT')
    },
  ],
]

/** What was sampled after the warm-up. */
function settled(messages: readonly SoakMessage[], minutes: number): readonly SoakMessage[] {
  return messages.filter(({ sample }) => sample.minutes >= minutes * WARM_UP)
}

/** @throws when the process has ended too early for any measurement */
function measured(
  server: string,
  minutes: number,
  messages: readonly SoakMessage[],
  illnesses: Readonly<Record<string, number>>,
  exit: string | number | null,
): SoakMeasurements {
  const samples = messages.map(({ sample }) => sample)
  const telling = settled(messages, minutes)
  if (exit !== 0 || telling.length < LEAST_SAMPLES) {
    throw new Error(`The process that was soaked has ended with ${exit}.`)
  }
  const { perUnit, error } = slopeOf(telling.map(({ sample }) => [sample.minutes, sample.heapKb]))
  const result = {
    ...messages.at(-1)!.progress,
    server,
    minutes,
    illnesses,
    samples,
    heapKbPerMinute: perUnit,
    heapKbPerMinuteError: error,
    handlesAtStart: messages[0]!.handles,
    handlesAtEnd: messages.at(-1)!.handles,
  }
  return { ...result, problems: problemsOf(result) }
}
