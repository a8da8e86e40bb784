import { join } from 'node:path'
import { defineComparison } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { inRounds, rounded } from '../../harness/rounds.ts'
import { table } from '../../harness/section.ts'
import { median, spread } from '../../harness/statistics.ts'
import { lower } from '../../harness/figure.ts'
import type { Starting } from './start-process.ts'

const file = join(import.meta.dirname, 'start-process.ts')
type Started = Awaited<ReturnType<Starting['start']>>
type Read = Awaited<ReturnType<Starting['read']>>

const call = <Name extends keyof Starting & string>(
  method: Name,
  argument: Parameters<Starting[Name]>[0],
): Promise<Awaited<ReturnType<Starting[Name]>>> =>
  callProcess<Starting, Name>(file, method, argument, {
    flags: [],
    env: { NODE_ENV: 'production' },
  })

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
  question: 'What does each model add to the start of an application, and to the first read after it?',
  packages: ['@nestjs/core', 'arktype', 'fast-json-stringify'],
  // More rest than the proofs of all models take. A quick run of a few models measures what is done once.
  full: { models: 78, rounds: 9, restMs: 3_000 },
  quick: { models: 7, rounds: 1, restMs: 300 },
  // Of hand-written schemas, without ArkType's `type()`.
  goals: { msPerModel: { most: 2.5 }, byHandMsPerModel: { most: 2.5 } },
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
      costs,
      firstReads,
      summary: {
        msPerModel: library!.wallMs!,
        cpuMsPerModel: library!.cpuMs,
        backgroundCpuMsPerModel: background!.cpuMs,
        byHandMsPerModel: ofHand!.wallMs!,
        schemaMsPerModel: types!.wallMs!,
      },
    }
  },
  columns: ({ models, fieldsPerModel, rounds, restMs, costs, firstReads }) => [
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
    'Start of an application': `${summary.msPerModel.toFixed(2)} ms per model, of ${models} with ${fieldsPerModel} fields on average`,
  }),
  figures: ({ summary, firstReads }) => ({
    'start: wall': lower(summary.msPerModel, 'ms per model'),
    'start by hand: wall': lower(summary.byHandMsPerModel, 'ms per model'),
    'start: CPU': lower(summary.cpuMsPerModel, 'ms per model'),
    'in the background: CPU': lower(summary.backgroundCpuMsPerModel, 'ms per model'),
    'first read at once': lower(firstReads[0]!.loadMs, 'ms'),
    'first read after proofs': lower(firstReads[1]!.loadMs, 'ms'),
    'first hit after proofs': lower(firstReads[1]!.hitMs, 'ms'),
  }),
})
