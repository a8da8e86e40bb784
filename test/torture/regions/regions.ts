import { setTimeout as sleep } from 'node:timers/promises'
import { lower, sum, table } from '../bench/harness.ts'
import { defineTorture, type TortureRun } from '../define-torture.ts'
import { type Effort, measure, type Plan } from '../follow/measure.ts'
import type { Phase } from '../follow/phase.ts'
import { delay, faults, pauseReplay, replicateSynchronously } from './faults.ts'
import { BRIDGE_MS, FENCE_MS, type RegionWorld } from './world.ts'

const DELAY_MS = 300
const briefly = (world: RegionWorld): Promise<undefined> => delay(world, () => DELAY_MS, 3 * DELAY_MS)

const plan: Plan<RegionWorld> = {
  logs: { durable: 'a region' },
  steady: [],
  faults,
  pace: { rowsPerSecond: 240, rowsPerTransaction: 2, pauseMs: 12 },
  occasions: {
    'change left out': () => sleep(DELAY_MS),
    'stale entry': () => sleep(DELAY_MS),
    'fence left out': briefly,
    'fence ends with COMMIT': briefly,
    'received counts as replayed': ({ database }) => pauseReplay(database, DELAY_MS),
    'rows of the primary': (world) => replicateSynchronously(world, DELAY_MS, 6 * DELAY_MS),
  },
  // One of the follower, of fences, and of loads.
  quickDefects: ['change left out', 'fence ends with COMMIT', 'rows of the primary'],
}

/** The figures that matter. */
export function summarise(phases: readonly Phase[]) {
  const total = (field: Exclude<keyof Phase, 'name'>): number => sum(phases.map((phase) => phase[field] ?? 0))
  return {
    reads: total('reads'),
    ofOwn: total('ofOwn'),
    excused: total('excused'),
    writes: total('writes'),
    regionWrites: total('regionWrites'),
    primaryQueries: total('primaryQueries'),
    takeovers: total('takeovers'),
    takeoverMs: Math.max(0, ...phases.map(({ takeoverMs = 0 }) => takeoverMs)),
    stale: total('stale'),
    broken: total('broken'),
    lostEvents: total('lostEvents'),
  }
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

export const regions = defineTorture({
  name: 'regions',
  question:
    'Does a second region read its own writes at once, and all others as soon as its standby has them, under faults as well?',
  packages: ['@prisma/client', 'ioredis', 'pg'],
  full: { warmUpMs: 0, steadyMs: 0, calmMs: 1_500 },
  quick: { warmUpMs: 0, steadyMs: 0, calmMs: 300 },
  variants: ['fault', faults],
  async workload(run: TortureRun<Effort>) {
    const { openRegion } = await import('./world.ts')
    const { database, openWorld } = await openRegion(run)
    const { durable: phases, server } = await measure(run, plan, openWorld)
    return { database, server, phases, summary: summarise(phases) }
  },
  never: ({ summary }) => ({
    'reads were older than the lags of follower and standby that had been reported': summary.stale,
    'reads lacked a write of their own region': summary.broken,
    'rows and lists are stale at rest': summary.lostEvents,
  }),
  goals: { takeoverMs: { most: 10_000 } },
  columns: ({ database, phases, server }) => [
    table(
      'Faults of a second region',
      phases,
      {
        fault: ({ name }) => faults.find((fault) => fault.name === name)!.what,
        writes: 'writes',
        'of the region': 'regionWrites',
        reads: 'reads',
        'of its own writes': 'ofOwn',
        'older than reported': 'stale',
        'lack an own write': 'broken',
        'stale at rest': 'lostEvents',
        'not judged': 'excused',
        'longest behind ms': 'longestBehindMs',
        'of the primary': 'primaryQueries',
        'nobody followed ms': 'takeoverMs',
        'caught up ms': 'caughtUpMs',
      },
      {
        text: [
          `${database}, and ${server} of the second region. Two processes of that region load rows from the standby and write to the primary, one of them with a memory layer; one of two followers reads the log of the standby. Writers without the library, of the first region, write the same rows and others. ${plan.pace.rowsPerSecond} rows are written a second.`,
          `Fences stand for ${inSeconds(FENCE_MS)} (\`fenceMs\`). "Of its own writes" are reads of a row that the region had written in the last ${inSeconds(BRIDGE_MS)}, in which fences bridge what the standby lacks. "Of the primary" counts queries that read rows from there. "Not judged" are reads beside a restart of the standby, which then shows an earlier state for a moment.`,
        ],
      },
    ),
  ],
  conclusion: ({ phases, summary }) =>
    `Of ${summary.reads.toLocaleString('en')} reads under ${phases.length} kinds of faults, ${summary.stale} were older than the reported lags allow; ` +
    `of ${summary.ofOwn.toLocaleString('en')} reads of what the region itself had just written, ${summary.broken} lacked that; ${summary.lostEvents} rows and lists were stale at the end. ` +
    `For ${summary.regionWrites.toLocaleString('en')} writes of the region, ${summary.primaryQueries.toLocaleString('en')} queries read from the primary. ` +
    `Nobody followed for at most ${inSeconds(summary.takeoverMs)}.`,
  headlines: ({ summary }) => ({
    'A second region under faults': `${summary.broken} of ${summary.ofOwn.toLocaleString('en')} reads of its own writes lacked one, and ${summary.stale} of ${summary.reads.toLocaleString('en')} reads were older than the lags that were reported`,
  }),
  figures: ({ summary }) => ({
    'stale reads': lower(summary.stale, 'reads'),
    'reads without an own write': lower(summary.broken, 'reads'),
    'stale at rest': lower(summary.lostEvents, 'rows'),
    takeoverMs: lower(summary.takeoverMs, 'ms'),
  }),
})
