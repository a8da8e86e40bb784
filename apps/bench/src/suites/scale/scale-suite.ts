import { join } from 'node:path'
import { choose } from '../../harness/choose.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inPercent, table } from '../../harness/section.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import { axes } from './axes.ts'
import type { AxisProcess, Effort } from './axis-process.ts'

const FULL: Effort = { rounds: 15, warmUpMs: 1_000, sampleBytes: 20e6 }
const QUICK: Effort = { rounds: 3, warmUpMs: 100, sampleBytes: 2e6 }
const PROCESS = join(import.meta.dirname, 'axis-process.ts')

export type ScaleMeasurements = Awaited<ReturnType<typeof measure>>

async function measure({ quick, only }: RunOptions) {
  const effort = quick ? QUICK : FULL
  const measured: Awaited<ReturnType<AxisProcess['measure']>>[] = []
  for (const { name, title } of choose('axis', axes, only)) {
    say(`${title} …`)
    const argument = { name, quick, effort }
    measured.push(await callProcess<AxisProcess, 'measure'>(PROCESS, 'measure', argument))
  }
  const server = measured[0]!.server
  return { server, rounds: effort.rounds, axes: measured.map(({ result }) => result) }
}

export const scaleSuite = defineSuite({
  packages: ['@prisma/client', 'ioredis'],
  measure,
  sections: ({ server, rounds, axes }) => [
    table(
      'Cost of a read as things grow',
      axes,
      {
        '': 'title',
        from: ({ points }) => points[0]!.x,
        to: ({ points }) => points.at(-1)!.x,
        'µs at first': ({ points }) => points[0]!.cpuUs,
        'µs at last': ({ points }) => points.at(-1)!.cpuUs,
        exponent: ({ growth }) => growth.exponent.toFixed(2),
        '±': ({ growth }) => growth.error.toFixed(2),
        'at the end': ({ growth }) => growth.atEnd.toFixed(2),
      },
      {
        text: [
          `${server}, on loopback; medians of ${rounds} interleaved rounds, each axis in a process of its own, each point with servers of its own.`,
          'Where nothing else is said: 10,000 stored rows of 2 kB of one model, of which each tick reads 1,000, without L1.',
          'Exponent of the power law through all points: 0 where a read costs the same at any size, 1 where it grows in proportion.',
        ],
      },
    ),
    ...axes.map(({ title, unit, points }) =>
      table(
        title,
        points,
        {
          '': ({ x }) => Math.round(x),
          'CPU µs': 'cpuUs',
          '±': inPercent(({ cpuSpread }) => cpuSpread),
          // In a short run this may be too short for the clock of the server.
          'Valkey CPU µs': ({ serverCpuUs }) => (serverCpuUs > 0 ? serverCpuUs : null),
          'bytes on the wire': ({ wireBytes }) => Math.round(wireBytes),
          'bytes per row': ({ bytesPerRow }) => Math.round(bytesPerRow),
          'bytes in Valkey': ({ memoryPerRow }) => Math.round(memoryPerRow),
        },
        {
          text: [`Per read, by ${unit}.`],
          chart: {
            kind: 'line',
            scale: 'log',
            x: unit,
            y: 'µs of processor time per read',
            columns: ['CPU µs', 'Valkey CPU µs'],
          },
        },
      ),
    ),
  ],
  conclusion: ({ axes }) =>
    `Exponent of the cost of a read at the end of each axis, where 0 is constant: ` +
    `${axes.map(({ name, growth, points }) => `${name} ${growth.atEnd.toFixed(2)} (up to ${Math.round(points.at(-1)!.x).toLocaleString('en')})`).join(', ')}.`,
  figures: ({ axes }) =>
    Object.fromEntries(
      axes.flatMap(({ name, points, growth }) => [
        [`${name}: exponent`, lower(growth.exponent, 'power')],
        [`${name}: read at the end`, lower(points.at(-1)!.cpuUs, 'µs of processor time')],
      ]),
    ),
})
