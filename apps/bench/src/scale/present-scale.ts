import type { Section } from '../report/section.ts'
import type { AxisResult, ScaleMeasurements, ScalePoint } from './scale-measurements.ts'

const HEAD = ['', 'CPU µs', '±', 'Valkey CPU µs', 'bytes on the wire', 'bytes a row', 'bytes in Valkey']

export function presentScale({ server, rounds, axes }: ScaleMeasurements): Section[] {
  return [
    {
      title: 'What a read costs as things grow',
      text: [
        `${server}, on loopback; medians of ${rounds} interleaved rounds, each axis in a process of its own, each point with servers of its own.`,
        'Unless it is what grows: 10,000 rows of 2 kB of one model, all stored, of which each tick reads 1,000. Nothing is kept in the memory of the process.',
        'The exponent is that of a power law through all points: 0 where a read costs the same however much there is, 1 where it costs as much more as there is more.',
      ],
      table: {
        head: ['', 'from', 'to', 'µs at first', 'µs at last', 'exponent', '±', 'at the end'],
        rows: axes.map(growthRow),
      },
    },
    ...axes.map(sectionOf),
  ]
}

function growthRow({ title, points, growth }: AxisResult): string[] {
  const [first, last] = [points[0]!, points.at(-1)!]
  return [
    title,
    whole(first.x),
    whole(last.x),
    first.cpuUs.toFixed(1),
    last.cpuUs.toFixed(1),
    growth.exponent.toFixed(2),
    growth.error.toFixed(2),
    growth.atEnd.toFixed(2),
  ]
}

function sectionOf({ title, unit, points }: AxisResult): Section {
  return {
    title,
    text: [`Of one read, by ${unit}.`],
    table: { head: HEAD, rows: points.map(rowOf) },
    chart: {
      kind: 'line',
      scale: 'log',
      x: unit,
      y: 'µs of processor time of one read',
      categories: points.map(({ x }) => Math.round(x)),
      series: [
        { name: 'client', values: points.map(({ cpuUs }) => cpuUs) },
        // A short run may be too short for the clock of a server.
        { name: 'Valkey', values: points.map(({ serverCpuUs }) => (serverCpuUs > 0 ? serverCpuUs : null)) },
      ],
    },
  }
}

function rowOf(point: ScalePoint): string[] {
  return [
    whole(point.x),
    point.cpuUs.toFixed(2),
    `${(point.cpuSpread * 100).toFixed(0)} %`,
    point.serverCpuUs.toFixed(2),
    whole(point.wireBytes),
    whole(point.bytesPerRow),
    whole(point.memoryPerRow),
  ]
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
