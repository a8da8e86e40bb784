import { join } from 'node:path'
import { defineComparison } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { table } from '../../harness/section.ts'
import { mean, median, spread } from '../../harness/statistics.ts'
import { lower } from '../../harness/figure.ts'
import type { Parts, Starting } from './process.ts'

const call = <Name extends keyof Starting & string>(
  method: Name,
  argument: Parameters<Starting[Name]>[0],
): Promise<Awaited<ReturnType<Starting[Name]>>> =>
  callProcess<Starting, Name>(join(import.meta.dirname, 'process.ts'), method, argument, {
    env: { NODE_ENV: 'production' },
  })

type Started = Awaited<ReturnType<Starting['start']>>
type WholeStart = Awaited<ReturnType<Starting['startWhole']>>

/** Models of an application whose whole process is measured. */
const wholeModels = 5

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

const STEPS = [
  ['definitions', 'definitions'],
  ['start', 'start of the application'],
  ['background', 'in the background after it'],
] as const

/** What each model adds to the start of an application without any: the difference of the medians. */
const costsOf = (form: string, all: readonly Started[], none: readonly Started[], models: number) =>
  STEPS.map(([step, what]) => {
    const medianOf = (samples: readonly Started[], figure: 'wallMs' | 'cpuMs') =>
      median(samples.map((sample) => sample[step][figure]))
    const perModel = (figure: 'wallMs' | 'cpuMs') =>
      rounded((medianOf(all, figure) - medianOf(none, figure)) / models)
    return {
      name: `${form}: ${what}`,
      // The background is a rest of the same length.
      wallMs: step === 'background' ? null : perModel('wallMs'),
      cpuMs: perModel('cpuMs'),
      spread: spread(all.map((sample) => sample[step].cpuMs)),
    }
  })

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
    const { modelShapes } = await import('./models.ts')
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
    const wholes: { readonly name: Parts }[] = [{ name: 'nothing' }, { name: 'packages' }, { name: 'caches' }]
    const started = await inRounds(starts, rounds, (one) =>
      call('start', { models: one.models, derived: one.derived, restMs }),
    )
    const read = await inRounds(reads, rounds, (one) => call('read', { models, restMs: one.restMs }))
    const whole = await inRounds(wholes, rounds, ({ name }) =>
      call('startWhole', { models: wholeModels, parts: name, restMs: 500 }),
    )
    const [nothing, packages, caches] = [...whole.values()]
    const added = [
      addedBy('ioredis and prom-client', packages!, nothing!),
      addedBy(`caches of ${wholeModels} models`, caches!, packages!),
    ]
    const [derived, none, byHand, noneByHand] = [...started.values()]
    const costs = [
      ...costsOf('derived from Prisma', derived!, none!, models),
      ...costsOf('by hand', byHand!, noneByHand!, models),
    ]
    const firstReads = reads.map((one) => ({ name: one.name, ...medians(read.get(one)!) }))
    const [, library, background, types, ofHand] = costs
    return {
      models,
      fieldsPerModel: rounded(mean(modelShapes(models).map(({ fields }) => fields.length)), 3),
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
