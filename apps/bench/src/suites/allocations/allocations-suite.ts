import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { table, type Columns } from '../../harness/section.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import { allCases } from './all-cases.ts'
import {
  UNCONFIGURED,
  type AllocationCase,
  type Baseline,
  type Count,
  type CountedCase,
} from './allocation-case.ts'
import type { Counting, Mode } from './count-process.ts'
import { problemsOf } from './problems-of.ts'
import type { Allocated } from './profile.ts'

const BASELINE = join(import.meta.dirname, 'baseline.json')
const PROCESS = join(import.meta.dirname, 'count-process.ts')

/** One thread, so that compilers and collector run at the same moment in every run. */
const steady = ['--single-threaded', '--predictable', '--random-seed=1']
const everyObject = [
  '--sampling-heap-profiler-suppress-randomness',
  // One sample would stand for several objects that compiled code allocates at once.
  '--no-turbo-allocation-folding',
  '--maglev-allocation-folding=0',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
]

/** Without optimising compilers; as an application after a while; and for collections a default young generation. */
const WRITTEN: Mode = { flags: [...steady, ...everyObject, '--no-opt', '--no-maglev'], warmUps: 500, runs: 8 }
const OPTIMISED: Mode = { flags: [...steady, ...everyObject], warmUps: 10_000, runs: 8 }
const COLLECTED: Mode = {
  flags: [...steady, '--min-semi-space-size=16', '--max-semi-space-size=16'],
  warmUps: 10_000,
  runs: 20_000,
}

const FOLLOWED = [
  'L1 hit, copy',
  'L1 hit, shared',
  'store hit',
  'miss and fill',
  'fenced write',
  'L1 hit, shared, 100 at once',
  'store hit, 100 at once',
  'miss and fill, 100 at once',
  'as Nest wires it, nobody subscribed',
  'AuctionItem, decode',
  'AuctionItem, encode',
]

async function measure({ quick, only }: RunOptions) {
  const cases = await countCases(chooseCases(only), quick)
  const { v8 } = process.versions
  if (process.env.UPDATE) record(cases, v8)
  const problems = problemsOf(cases, v8, JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline)
  for (const problem of problems) say(problem)
  return { cases, problems }
}

/** Cases by name, or by group. @throws when a name is neither */
function chooseCases(only: readonly string[]): readonly AllocationCase[] {
  if (only.length === 0) return allCases
  const known = allCases.flatMap(({ name, group }) => [name, group])
  const unknown = only.find((name) => !known.includes(name))
  if (unknown === undefined)
    return allCases.filter(({ name, group }) => only.includes(name) || only.includes(group))
  throw new Error(`There is no case "${unknown}", only ${[...new Set(known)].join('; ')}.`)
}

/** Keeps cases that were not counted, unless another V8 counted them. */
function record(cases: readonly CountedCase[], v8: string): void {
  const before = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline
  const counted = Object.fromEntries(cases.map(({ name, written }) => [name, written]))
  const baseline: Baseline = { v8, cases: { ...(before.v8 === v8 && before.cases), ...counted } }
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`)
}

/**
 * Counts in one process per mode.
 *
 * @param quick counts without optimising compilers only
 * @param imports modules that the processes load first
 */
export async function countCases(
  chosen: readonly AllocationCase[],
  quick: boolean,
  imports: readonly string[] = [],
): Promise<CountedCase[]> {
  const names = chosen.map(({ name }) => name)
  const countIn = (mode: Mode, collects = false) => {
    const flags = [...mode.flags, ...imports.map((path) => `--import=${path}`)]
    const argument = { names, mode: { ...mode, collects } }
    return callProcess<Counting, 'count'>(PROCESS, 'count', argument, { flags })
  }
  say(`${names.length} cases, without optimising compilers …`)
  const written = await countIn(WRITTEN)
  if (!quick) say('… with them …')
  const optimised = quick ? undefined : await countIn(OPTIMISED)
  if (!quick) say('… and garbage collections')
  const collected = quick ? undefined : await countIn(COLLECTED, true)
  return chosen.map(({ name, group, per, tolerance = 0 }): CountedCase => {
    const each = ({ bytes, objects }: Allocated): Count => ({ bytes: bytes / per, objects: objects / per })
    return {
      name,
      group,
      tolerance,
      written: each(written.allocated[name]!),
      ...(optimised && { optimised: each(optimised.allocated[name]!) }),
      ...(collected && { collections: collected.collections[name]! }),
      byFile: written.allocated[name]!.byFile,
    }
  })
}

const GROUPS = {
  alone: [
    'A read that is alone in its tick',
    'A lot of 2 kB in the memory store, so that the network is not counted. "bare path" is the least that a read needs.',
  ],
  together: ['A read among 100 of one tick', 'Divided by 100. The promises of the callers count.'],
  hook: ['What listens to a hit of the store', 'A hit that is alone in its tick, by what is configured.'],
  write: [
    'A write without its statement',
    'From its begin until its fence is released, for a cache in the memory store.',
  ],
  codec: [
    'A row into and out of its payload',
    'JSON.parse and JSON.stringify have strings for dates and decimals.',
  ],
} as const

const columns: Columns<CountedCase> = {
  '': 'name',
  bytes: ({ written }) => Math.round(written.bytes),
  objects: ({ written }) => written.objects,
  'optimised bytes': ({ optimised }) => optimised && Math.round(optimised.bytes),
  'optimised objects': ({ optimised }) => optimised?.objects,
  collections: 'collections',
  tolerance: ({ tolerance }) => (tolerance === 0 ? '' : `${(tolerance * 100).toFixed(1)} %`),
}

export const allocationsSuite = defineSuite({
  packages: ['@nestjs/core', 'cockatiel', 'lru-cache', 'prom-client'],
  measure,
  sections({ cases, problems }) {
    const ofGroup = (group: string) => cases.filter((one) => one.group === group)
    const none = cases.find(({ name }) => name === UNCONFIGURED)?.written.bytes ?? 0
    const more = ({ written }: CountedCase) => Math.round(written.bytes - none)
    const hit = cases.find(({ name }) => name === 'store hit')
    const files = Object.entries(hit?.byFile ?? {}).map(([file, bytes]) => ({ file, bytes }))
    return [
      {
        title: 'How allocations are counted',
        text: [
          'Every object on the heap of V8 is counted, less those of the counting itself.',
          'Bytes and objects: without the optimising compilers, the same in every run; compared with the baseline.',
          'Optimised: as after a while, without objects that the compilers find unnecessary.',
          'Collections: of garbage, in 20,000 reads, with a young generation of 16 MB.',
          ...(problems.length > 0
            ? problems
            : ['All counts are as recorded, and features that are not configured allocate nothing.']),
        ],
      },
      ...Object.entries(GROUPS).flatMap(([group, [title, text]]) =>
        ofGroup(group).length === 0
          ? []
          : table(
              title,
              ofGroup(group),
              { ...columns, ...(group === 'hook' && { 'more bytes': more }) },
              { text: [text], chart: { y: 'bytes of the heap', columns: ['bytes'] } },
            ),
      ),
      ...(hit
        ? [
            table(
              'A hit of the store that is alone in its tick, by file',
              files.toSorted((a, b) => b.bytes - a.bytes),
              { '': 'file', bytes: 'bytes' },
              { text: ['Allocations of V8 functions, as Promise.all, count for the file that calls them.'] },
            ),
          ]
        : []),
    ]
  },
  conclusion({ cases }) {
    const of = (name: string): string => {
      const { bytes, objects } = cases.find((one) => one.name === name)!.written
      return `${Math.round(bytes).toLocaleString('en')} bytes in ${Math.round(objects)} objects`
    }
    return (
      `A hit of the store allocates ${of('store hit')} alone in its tick, and ${of('store hit, 100 at once')} among 100; an L1 hit ` +
      `${of('L1 hit, copy')}. Features that are not configured allocate nothing.`
    )
  },
  figures: ({ cases }) =>
    Object.fromEntries(
      cases
        .filter(({ name }) => FOLLOWED.includes(name))
        .map(({ name, written }) => [name, lower(written.bytes, 'bytes')]),
    ),
  problems: ({ problems }) => problems,
})
