import { join } from 'node:path'
import { defineComparison } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { table } from '../../harness/section.ts'
import { median, spread } from '../../harness/statistics.ts'
import { lower } from '../../harness/figure.ts'
import type { Starting } from './start-process.ts'
import type { Parts, Whole } from './whole-process.ts'

const file = join(import.meta.dirname, 'start-process.ts')
const wholeFile = join(import.meta.dirname, 'whole-process.ts')
type Started = Awaited<ReturnType<Starting['start']>>
type WholeStart = Awaited<ReturnType<Whole['start']>>
type Read = Awaited<ReturnType<Starting['read']>>

const call = <Name extends keyof Starting & string>(
  method: Name,
  argument: Parameters<Starting[Name]>[0],
): Promise<Awaited<ReturnType<Starting[Name]>>> =>
  callProcess<Starting, Name>(file, method, argument, {
    flags: [],
    env: { NODE_ENV: 'production' },
  })

/** Models of an application whose whole process is measured. */
const wholeModels = 5

const wholeOf = ({ name: parts }: { readonly name: Parts }): Promise<WholeStart> =>
  callProcess<Whole, 'start'>(
    wholeFile,
    'start',
    { models: wholeModels, parts, restMs: 500 },
    { env: { NODE_ENV: 'production' } },
  )

/** What parts add to a process: the difference of the medians. */
function addedBy(name: string, some: readonly WholeStart[], none: readonly WholeStart[]) {
  const added = (key: keyof WholeStart) =>
    rounded(median(some.map((one) => one[key])) - median(none.map((one) => one[key])), 3)
  return {
    name,
    startMs: added('startMs'),
    restedMs: added('restedMs'),
    rssMiB: added('rssMiB'),
    heapMiB: added('heapMiB'),
  }
}

/** What each model adds to the start of an application without any: the difference of the medians. */
function costsOf(all: readonly Started[], none: readonly Started[], models: number, form: string) {
  const cost = (name: string, of: (started: Started) => { wallMs?: number; cpuMs: number }) => {
    const perModel = (key: 'wallMs' | 'cpuMs') => {
      const valuesOf = (samples: readonly Started[]) => samples.map((sample) => of(sample)[key] ?? 0)
      return rounded((median(valuesOf(all)) - median(valuesOf(none))) / models)
    }
    const wallMs = of(all[0]!).wallMs === undefined ? null : perModel('wallMs')
    return { name, wallMs, cpuMs: perModel('cpuMs'), spread: spread(all.map((sample) => of(sample).cpuMs)) }
  }
  return [
    cost(`${form}: definitions`, ({ schemas }) => schemas),
    cost(`${form}: start of the application`, ({ start }) => start),
    cost(`${form}: in the background after it`, ({ restCpuMs }) => ({ cpuMs: restCpuMs })),
  ]
}

function firstReadsOf(name: string, samples: readonly Read[]) {
  return {
    name,
    loadMs: rounded(median(samples.map(({ loadMs }) => loadMs))),
    hitMs: rounded(median(samples.map(({ hitMs }) => hitMs))),
  }
}

export const start = defineComparison({
  name: 'start',
  question:
    'What do caches add to the start of an application, each model of them, and the first read after it?',
  packages: ['@nestjs/core', 'arktype', 'fast-json-stringify'],
  // More rest than the proofs of all models take. A quick run of a few models measures what is done once.
  full: { models: 78, rounds: 9, restMs: 3_000 },
  quick: { models: 7, rounds: 1, restMs: 300 },
  // Of hand-written schemas, without ArkType's `type()`.
  goals: {
    msPerModel: { most: 2.5 },
    byHandMsPerModel: { most: 2.5 },
    addedMs: { most: 150 },
    addedMiB: { most: 12 },
  },
  /** One process for each sample, since a second start would find its code warm. */
  async workload({ effort: { models, rounds, restMs } }) {
    const starts = [
      { name: 'derived', models, derived: true },
      { name: 'no model', models: 0, derived: true },
      { name: 'by hand', models, derived: false },
      { name: 'no model by hand', models: 0, derived: false },
    ]
    const reads = [
      { name: 'at once', restMs: 0 },
      { name: 'after proofs in the background', restMs },
    ]
    const started = await inRounds(starts, rounds, (one) =>
      call('start', { models: one.models, derived: one.derived, restMs }),
    )
    const read = await inRounds(reads, rounds, (one) => call('read', { models, restMs: one.restMs }))
    const parts = [{ name: 'nothing' }, { name: 'packages' }, { name: 'caches' }] as const
    const wholes = await inRounds<(typeof parts)[number], WholeStart>(parts, rounds, wholeOf)
    const [nothing, packages, caches] = parts.map((part) => wholes.get(part)!)
    const added = [
      addedBy('ioredis and prom-client', packages!, nothing!),
      addedBy(`caches of ${wholeModels} models`, caches!, packages!),
    ]
    const samples = starts.map((one) => started.get(one)!)
    const costs = [
      ...costsOf(samples[0]!, samples[1]!, models, 'derived from Prisma'),
      ...costsOf(samples[2]!, samples[3]!, models, 'by hand'),
    ]
    const firstReads = reads.map((one) => firstReadsOf(one.name, read.get(one)!))
    const [, library, background, types, ofHand] = costs
    return {
      models,
      fieldsPerModel: rounded(await call('fieldsPerModel', models), 3),
      rounds,
      restMs,
      added,
      costs,
      firstReads,
      summary: {
        addedMs: added[1]!.startMs,
        addedMiB: added[1]!.rssMiB,
        msPerModel: library!.wallMs!,
        cpuMsPerModel: library!.cpuMs,
        backgroundCpuMsPerModel: background!.cpuMs,
        byHandMsPerModel: ofHand!.wallMs!,
        schemaMsPerModel: types!.wallMs!,
      },
    }
  },
  columns: ({ models, fieldsPerModel, rounds, restMs, added = [], costs, firstReads }) => [
    table(
      'What caches add to an application',
      added,
      {
        '': 'name',
        'CPU ms': 'startMs',
        'with proofs': 'restedMs',
        'resident MiB': 'rssMiB',
        'heap MiB': 'heapMiB',
      },
      {
        text: [
          'Of the whole process, until an application with Nest and Prisma has started. First what one with a Redis client and metrics loads in any case; then what the library adds to that, with definitions derived from Prisma.',
          'Proofs of codecs run in the background, within half a second. The memory is that after them.',
        ],
        chart: { y: 'ms', columns: ['CPU ms'] },
      },
    ),
    table(
      'What a model adds to the start',
      costs,
      { 'per model': 'name', 'wall ms': 'wallMs', 'CPU ms': 'cpuMs', '± part of CPU': 'spread' },
      {
        text: [
          `${models} models of ${fieldsPerModel} fields on average, registered by forFeature, with the store in memory, beside an application without models. Medians of ${rounds} new processes.`,
          `Definitions by hand call ArkType's \`type()\`. CPU includes other threads of V8; in the background the library proves codecs, during ${restMs / 1_000} s of rest.`,
        ],
        chart: { y: 'ms per model', columns: ['CPU ms'] },
      },
    ),
    table(
      'The first read of a model',
      firstReads,
      { 'after the start': 'name', 'from its source, ms': 'loadMs', 'then from the store, ms': 'hitMs' },
      {
        text: [
          'One read after another, of all models in turn; the median model. Each read compiles what it is the first to use.',
        ],
        chart: { y: 'ms' },
      },
    ),
  ],
  conclusion: ({ models, fieldsPerModel, summary, firstReads }) =>
    `Of ${models} models with ${fieldsPerModel} fields on average, each adds ${summary.msPerModel.toFixed(2)} ms to the start of a ` +
    `Nest application if it is derived from Prisma, and ${summary.byHandMsPerModel.toFixed(2)} ms if it is described by hand, beside ` +
    `${summary.schemaMsPerModel.toFixed(2)} ms of ArkType; after the start it takes ${summary.backgroundCpuMsPerModel.toFixed(2)} ms ` +
    `of processor time; its first read takes ${firstReads[1]!.loadMs.toFixed(2)} ms.`,
  headlines: ({ models, fieldsPerModel, summary }) => ({
    // Results of older runs lack it.
    ...(summary.addedMs !== undefined && {
      [`Caches of ${wholeModels} models, at the start`]: `${summary.addedMs.toFixed(0)} ms of CPU and ${summary.addedMiB.toFixed(0)} MiB`,
    }),
    'Start of an application': `${summary.msPerModel.toFixed(2)} ms per model, of ${models} with ${fieldsPerModel} fields on average`,
  }),
  figures: ({ summary, firstReads }) => ({
    'added: CPU': lower(summary.addedMs, 'ms'),
    'added: memory': lower(summary.addedMiB, 'MiB'),
    'start: wall': lower(summary.msPerModel, 'ms per model'),
    'start by hand: wall': lower(summary.byHandMsPerModel, 'ms per model'),
    'start: CPU': lower(summary.cpuMsPerModel, 'ms per model'),
    'in the background: CPU': lower(summary.backgroundCpuMsPerModel, 'ms per model'),
    'first read at once': lower(firstReads[0]!.loadMs, 'ms'),
    'first read after proofs': lower(firstReads[1]!.loadMs, 'ms'),
    'first hit after proofs': lower(firstReads[1]!.hitMs, 'ms'),
  }),
})
