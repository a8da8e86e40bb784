import { setTimeout as sleep } from 'node:timers/promises'
import { describeValkey } from '../../support/valkey-server.ts'
import { type Process, say, slopeOf } from '../bench/harness.ts'
import { type TortureRun, untilNoticed } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import { start as startProcess } from '../process.ts'
import { ask } from '../servers/ask.ts'
import { SingleServer } from '../servers/single-server.ts'
import { type Application, DEPLOYED_AT, MEASURED_FROM, openApplication } from './application.ts'
import type { Bursting } from './bursts-process.ts'
import { LEAST_SAMPLES, SoakedProcess, thinned } from './course.ts'
import { type Keys, LEFT_KEYS } from './problems.ts'
import { MOST_KEYS } from './rows.ts'

export interface Effort {
  readonly minutes: number
  readonly sampleMs: number
}

const FAULT_EVERY_MS = 15_000
const SAY_EVERY_MS = 15_000
const DOWN_MS = 500
const HANG_MS = 2_000
const COMPARE_EVERY_MS = 120_000
/** Comparisons read more than the workload does; what they have stored has expired by then. */
const COMPARED_MS = 45_000
/** Longer than anything is kept that expires: see `rows.ts` and `fenceMs`. */
const EXPIRY_MS = 120_000
const MAX_NAMES = 20
const MAX_SAMPLES = 120
/** Databases of the server. */
const [PODS, BURSTS, REHEARSALS] = [0, 1, 2]
const REHEARSED_MS = 500

interface KeySample extends Keys {
  readonly minutes: number
  /** Whether it has keys of a comparison. */
  readonly isCompared: boolean
}

export async function measure(run: TortureRun<Effort>) {
  const { chosen, effort, only, quick, rehearse, use } = run
  const { minutes = effort.minutes } = run
  // A quick run needs no database, unless it names the application.
  const has = (part: string): boolean =>
    quick && only.length === 0 ? part === 'bursts' : chosen.some(({ name }) => name === part)
  const server = await use(SingleServer.start())
  const name = await describeValkey(server.url)
  say(`${name}: ${minutes} minutes`)
  const over = new AbortController()
  let disturbing = Promise.resolve()
  let application: Application | undefined
  if (has('application')) {
    await rehearse('application', ['change left out', 'stale entry'], (defect) =>
      rehearseDefect(`${server.url}/${REHEARSALS}`, defect),
    )
    application = await use(openApplication({ valkeyUrl: server.url, minutes }))
  }
  let bursts: Process<Bursting> | undefined
  const ofBursts = new SoakedProcess('bursts', 0, MEASURED_FROM * minutes)
  if (has('bursts')) {
    const settings = { valkeyUrl: `${server.url}/${BURSTS}` }
    bursts = await use(startProcess<Bursting>(import.meta.dirname, 'bursts-process.ts', settings))
  }
  await use({ close: () => (over.abort(), disturbing) })
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
    if (application) keys.push({ minutes: minute, isCompared, ...(await keysOf(server)) })
  }
  let saidAt = -Infinity
  while (minuteNow() < minutes || all().some((one) => !one.isMeasured)) {
    await application?.deploy(minuteNow())
    await work(effort.sampleMs)
    await look()
    if (performance.now() - Math.max(start, comparedAt) > COMPARE_EVERY_MS) {
      await application?.compare()
      comparedAt = performance.now()
    }
    if (performance.now() - saidAt > SAY_EVERY_MS) {
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
  return {
    server: name,
    minutes,
    faults,
    processes: all().map((one) => one.course()),
    ...(burst && { bursts: burst }),
    ...(application && {
      database: application.database,
      application: application.progress(),
      keys: {
        ...slopeOf(measuredKeys.map((one) => [one.minutes, one.keys])),
        most: Math.max(...keys.map((one) => one.keys)),
        bound: MOST_KEYS(application.soaked.length),
        mostLasting: Math.max(...keys.map(({ lasting }) => lasting)),
        ...(left && { left }),
        samples: thinned(keys, MAX_SAMPLES),
      },
    }),
  }
}

/** Has an application with a defect work until its comparisons or its audits find something stale. */
async function rehearseDefect(valkeyUrl: string, defect: Defect): Promise<number | undefined> {
  const application = await openApplication({ valkeyUrl, minutes: Infinity, defect })
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

/** Numbers of keys, of which some may have expired a moment ago. */
async function keysOf({ port }: SingleServer): Promise<Keys> {
  const info = await ask(port, (client) => client.info('keyspace'))
  const [, keys = 0, expires = 0] = new RegExp(`^db${PODS}:keys=(\\d+),expires=(\\d+)`, 'm').exec(info) ?? []
  return { keys: Number(keys), lasting: Number(keys) - Number(expires) }
}

/** Counts the keys when everything that expires has. */
async function keysLeft(server: SingleServer): Promise<Keys & { readonly names: readonly string[] }> {
  say('Waiting until what expires has expired …')
  const until = performance.now() + EXPIRY_MS
  for (;;) {
    const left = await keysOf(server)
    if (left.keys <= LEFT_KEYS || performance.now() > until) {
      const names = await ask(server.port, (client) => client.keys('*'), { db: PODS })
      return { ...left, names: names.slice(0, MAX_NAMES) }
    }
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
