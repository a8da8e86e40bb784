import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeValkey } from '../../support/valkey-server.ts'
import {
  choose,
  defineSuite,
  higher,
  lower,
  type Process,
  type RunOptions,
  say,
  slopeOf,
  startProcess,
  sum,
  table,
} from '../bench.ts'
import type { Defect } from '../defects.ts'
import { type Rehearsal, rehearse, textOfRehearsals, unnoticedIn, untilNoticed } from '../rehearsal.ts'
import { SingleServer } from '../servers/single-server.ts'
import { Application, DEPLOYED_AT, MEASURED_FROM } from './application.ts'
import type { Bursting } from './bursts-process.ts'
import { type Course, LEAST_SAMPLES, SoakedProcess } from './course.ts'
import { type Keys, keysOf, namesOf } from './keys.ts'
import { problemsOf } from './problems.ts'
import { LEFT_KEYS, MOST_KEYS } from './rows.ts'

/** A quick run needs no database, but to name the application. */
const parts = [{ name: 'bursts' }, { name: 'application' }] as const

const [QUICK_SAMPLE_MS, SAMPLE_MS] = [1_000, 3_000]
const FAULT_EVERY_MS = 15_000
const DOWN_MS = 500
const HANG_MS = 2_000
const COMPARE_EVERY_MS = 120_000
/** Comparisons read more than the workload does; what they have stored has expired by then. */
const COMPARED_MS = 45_000
/** Longer than anything is kept that expires: see `pod/users.ts` and `fenceMs`. */
const EXPIRY_MS = 120_000
/** Rows of a table, at most. */
const MAX_ROWS = 20
/** Databases of the server. */
const [PODS, BURSTS, REHEARSALS] = [0, 1, 2]
const REHEARSED_MS = 500

interface KeySample extends Keys {
  readonly minutes: number
  /** Whether it has keys of a comparison. */
  readonly isCompared: boolean
}

async function measure({ quick, minutes = quick ? 0.5 : 10, only }: RunOptions) {
  const chosen = choose('part', parts, quick && only.length === 0 ? ['bursts'] : only).map(({ name }) => name)
  const server = await SingleServer.start()
  const name = await describeValkey(server.url)
  say(`${name}: ${minutes} minutes`)
  const opened: (() => Promise<unknown>)[] = [() => server.stop()]
  const over = new AbortController()
  let disturbing = Promise.resolve()
  try {
    let application: Application | undefined
    let rehearsals: readonly Rehearsal[] | undefined
    if (chosen.includes('application')) {
      rehearsals = await rehearse('application', ['change left out', 'stale entry'], (defect) =>
        rehearseDefect(`${server.url}/${REHEARSALS}`, defect),
      )
      application = await Application.open(server.url, minutes)
      opened.push(() => application!.close())
    }
    let bursts: Process<Bursting> | undefined
    const ofBursts = new SoakedProcess('bursts', 0, MEASURED_FROM * minutes)
    if (chosen.includes('bursts')) {
      const env = { VALKEY_URL: `${server.url}/${BURSTS}` }
      bursts = await startProcess<Bursting>(join(import.meta.dirname, 'bursts-process.ts'), { env })
      opened.push(() => bursts!.stop())
    }
    const all = () => [...(bursts ? [ofBursts] : []), ...(application?.soaked ?? [])]
    const start = performance.now()
    const minuteNow = (): number => (performance.now() - start) / 60_000
    const faults: Record<string, number> = {}
    disturbing = disturb(server, faults, over.signal, () => minuteNow() < DEPLOYED_AT * minutes)
    const keys: KeySample[] = []
    let burst: Awaited<ReturnType<Bursting['work']>> | undefined
    const work = async (ms: number): Promise<void> => {
      await Promise.all([bursts?.call('work', ms).then((done) => (burst = done)), application?.work(ms)])
    }
    let comparedAt = -Infinity
    const look = async (): Promise<void> => {
      const minute = minuteNow()
      if (bursts) ofBursts.add(minute, await bursts.call('look'))
      await application?.look(minute)
      const isCompared = performance.now() - comparedAt < COMPARED_MS
      if (application) keys.push({ minutes: minute, isCompared, ...(await keysOf(server.port, PODS)) })
    }
    let saidAt = -Infinity
    while (minuteNow() < minutes || all().some((one) => !one.isMeasured)) {
      await application?.deploy(minuteNow())
      await work(quick ? QUICK_SAMPLE_MS : SAMPLE_MS)
      await look()
      if (performance.now() - Math.max(start, comparedAt) > COMPARE_EVERY_MS) {
        await application?.compare()
        comparedAt = performance.now()
      }
      if (performance.now() - saidAt > 15_000) {
        saidAt = performance.now()
        say(progressText(minuteNow(), all(), keys.at(-1), burst, application))
      }
    }
    over.abort()
    await disturbing
    await work(0)
    await look()
    await application?.compare()
    const left = quick || !application ? undefined : await keysLeft(server)
    const lateKeys = keys.filter((one) => one.minutes >= MEASURED_FROM * minutes)
    const atRest = lateKeys.filter(({ isCompared }) => !isCompared)
    const measuredKeys = atRest.length < LEAST_SAMPLES ? lateKeys : atRest
    const result = {
      server: name,
      minutes,
      faults,
      processes: all().map((one) => one.course()),
      ...(burst && { bursts: burst }),
      ...(application && {
        database: application.database,
        rehearsals: rehearsals!,
        application: application.progress(),
        keys: {
          ...slopeOf(measuredKeys.map((one) => [one.minutes, one.keys])),
          most: Math.max(...keys.map((one) => one.keys)),
          bound: MOST_KEYS(application.soaked.length),
          mostLasting: Math.max(...keys.map(({ lasting }) => lasting)),
          ...(left && { left }),
          samples: thinned(keys, 120),
        },
      }),
    }
    const problems = [...problemsOf(result), ...unnoticedIn('application', rehearsals ?? [])]
    return { ...result, problems }
  } finally {
    over.abort()
    await disturbing
    for (const close of opened.toReversed()) await close()
  }
}

/** Has an application with a defect work until its comparisons or its audits find something stale. */
async function rehearseDefect(valkeyUrl: string, defect: Defect): Promise<number | undefined> {
  const application = await Application.open(valkeyUrl, Infinity, defect)
  try {
    return await untilNoticed(async () => {
      await application.work(REHEARSED_MS)
      await application.compare()
      const { stale, staleAudits } = application.progress()
      return stale + staleAudits > 0
    })
  } finally {
    await application.close()
  }
}

/** What happens to the server, by name. */
const faultsOf = (server: SingleServer): Readonly<Record<string, () => Promise<void>>> => ({
  emptied: () => server.restart(DOWN_MS),
  hung: () => server.pause(HANG_MS),
  restarted: () => server.restartSaved(DOWN_MS),
  cut: () => server.cut(),
})

/** Disturbs the server in turn. Keys that are to be counted are not deleted. */
async function disturb(
  server: SingleServer,
  counts: Record<string, number>,
  signal: AbortSignal,
  mayEmpty: () => boolean,
): Promise<void> {
  for (let turn = 0; ; turn++) {
    await sleep(FAULT_EVERY_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const kinds = Object.entries(faultsOf(server)).filter(([kind]) => kind !== 'emptied' || mayEmpty())
    const [kind, inflict] = kinds[turn % kinds.length]!
    counts[kind] = (counts[kind] ?? 0) + 1
    await inflict()
  }
}

/** Counts the keys when everything that expires has. */
async function keysLeft({ port }: SingleServer): Promise<Keys & { readonly names: readonly string[] }> {
  say('Waiting until what expires has expired …')
  const until = performance.now() + EXPIRY_MS
  for (;;) {
    const left = await keysOf(port, PODS)
    if (left.keys <= LEFT_KEYS || performance.now() > until)
      return { ...left, names: (await namesOf(port, PODS)).slice(0, MAX_ROWS) }
    await sleep(1_000)
  }
}

function progressText(
  minute: number,
  processes: readonly SoakedProcess[],
  keys: Keys | undefined,
  burst: { readonly errors: number } | undefined,
  application: Application | undefined,
): string {
  const heaps = processes.map(({ last, name }) => `${name} ${((last?.heapKb ?? 0) / 1_000).toFixed(1)} MB`)
  const done = application?.progress()
  return [
    `${minute.toFixed(1)} min: ${heaps.join(', ')}`,
    ...(keys ? [`${keys.keys} keys, ${keys.lasting} of them lasting`] : []),
    ...(done ? [`${done.reads} reads, ${done.writes} writes, ${done.stale} stale of ${done.compared}`] : []),
    `${(burst?.errors ?? 0) + (done?.errors ?? 0)} errors`,
    ...(done?.firstError ? [done.firstError] : []),
  ].join('; ')
}

const thinned = <T>(values: readonly T[], most: number): readonly T[] =>
  values.filter((_, i) => i % Math.ceil(values.length / most) === 0)

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ') || 'none'

const plusMinus = (value: number, error: number): string => `${value.toFixed(1)} ± ${error.toFixed(1)}`

const errorsOf = ({ application, bursts }: Awaited<ReturnType<typeof measure>>): number =>
  (bursts?.errors ?? 0) + (application?.errors ?? 0)

const steepest = (processes: readonly Course[]): Course =>
  processes.toSorted((one, other) => other.heap.perUnit - one.heap.perUnit)[0]!

export const soakSuite = defineSuite({
  packages: ['@prisma/client', 'ioredis', 'lru-cache', 'pg'],
  measure,
  sections: ({ application, bursts, database, faults, keys, minutes, processes, rehearsals, server }) => [
    table(
      'What is left behind',
      processes,
      {
        process: 'name',
        minutes: ({ fromMinute, toMinute }) => `${fromMinute.toFixed(0)}–${toMinute.toFixed(0)}`,
        'heap MB': ({ heapKb }) => heapKb / 1_000,
        'kB per minute': ({ heap }) => plusMinus(heap.perUnit, heap.error),
        'handles at first': ({ handlesAtStart }) => listed(handlesAtStart),
        'in the end': ({ handlesAtEnd }) => listed(handlesAtEnd),
      },
      {
        text: [
          `${[server, ...(database ? [database] : [])].join(', ')}; ${minutes} minutes; faults of the server: ${listed(faults)}.`,
          ...(bursts
            ? [
                `Bursts: ${bursts.storms} with ${bursts.reads} reads, ${bursts.loads} loads, ${bursts.invalidations} invalidations, ${bursts.errors} errors.`,
              ]
            : []),
          ...(application
            ? [
                `Application: ${application.reads} reads, ${application.writes} writes, ${application.statements} statements outside Prisma, ${application.inspections} answers of the inspector, ${application.errors} errors.`,
                `Defects that were noticed before: ${textOfRehearsals(rehearsals)}.`,
                `${application.stale} of ${application.compared} answers at rest and ${application.staleAudits} of ${application.audits} audited hits were stale.`,
              ]
            : []),
        ],
      },
    ),
    ...processes.map(({ name, samples }) =>
      table(
        `Heap at rest: ${name}`,
        thinned(samples, MAX_ROWS),
        { minute: 'minutes', 'heap MB': ({ heapKb }) => heapKb / 1_000 },
        { chart: { kind: 'line', x: 'minutes', y: 'MB of heap, after a collection' } },
      ),
    ),
    ...(keys
      ? [
          table(
            'Keys of the application',
            thinned(keys.samples, MAX_ROWS),
            { minute: 'minutes', keys: 'keys', 'without expiry': 'lasting' },
            {
              text: [
                `${plusMinus(keys.perUnit, keys.error)} keys per minute; at most ${keys.most}, where ${keys.bound} can be reached.` +
                  (keys.left ? ` ${keys.left.keys} are left when everything else has expired.` : ''),
              ],
              chart: { kind: 'line', x: 'minutes', y: 'keys at rest' },
            },
          ),
        ]
      : []),
  ],
  conclusion(soak) {
    const { application, bursts, faults, keys, minutes, processes } = soak
    const { heap } = steepest(processes)
    const reads = (bursts?.reads ?? 0) + (application?.reads ?? 0)
    return (
      `After ${minutes} minutes, ${reads.toLocaleString('en')} reads and ${sum(Object.values(faults))} faults of the server: ` +
      `${errorsOf(soak)} errors` +
      (application
        ? `, ${application.stale} of ${application.compared.toLocaleString('en')} compared answers stale, ` +
          `${keys!.perUnit.toFixed(1)} ± ${keys!.error.toFixed(1)} keys per minute`
        : '') +
      `, and heaps that change by ${plusMinus(heap.perUnit, heap.error)} kB per minute at most.`
    )
  },
  figures(soak) {
    const { application, bursts, keys, minutes, processes } = soak
    const steep = steepest(processes)
    return {
      ...(bursts && {
        reads: higher(bursts.reads / minutes, 'per minute'),
        'loads per read': lower(bursts.loads / bursts.reads, 'loads'),
      }),
      'heap growth': lower(steep.heap.perUnit, 'kB per minute'),
      'open handles': lower(
        sum(processes.flatMap(({ handlesAtEnd }) => Object.values(handlesAtEnd))),
        'handles',
      ),
      ...(keys && { 'key growth': lower(keys.perUnit, 'keys per minute') }),
      ...(application && { 'stale at rest': lower(application.stale, 'answers') }),
      errors: lower(errorsOf(soak), 'errors'),
    }
  },
  problems: ({ problems }) => problems,
})
