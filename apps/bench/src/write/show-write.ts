import type { About } from '../about.ts'
import { table } from '../table.ts'
import type { WriteMeasurements } from './write-measurements.ts'

export function showWrite(measurements: WriteMeasurements, about: About): string {
  const { server, database, rounds, bytesPerRow, cases, summary } = measurements
  return [
    `Node ${about.node}, ${server}, ${database}, ${about.cpu}, ${about.date}`,
    `Rows of ${bytesPerRow} bytes. Microseconds, medians of ${rounds} interleaved rounds; a miss lasts until the row is stored.`,
    ...Array.from(
      Map.groupBy(cases, ({ group }) => group),
      ([group, ofGroup]) =>
        '\n' +
        table([
          [group, 'wall', '±', 'client CPU', '±', 'Valkey CPU'],
          ...ofGroup.map(({ name, wallUs, wallSpread, cpuUs, cpuSpread, serverCpuUs }) => [
            name,
            whole(wallUs),
            percent(wallSpread),
            whole(cpuUs),
            percent(cpuSpread),
            whole(serverCpuUs),
          ]),
        ]),
    ),
    '',
    table([
      ['times as much', 'wall', 'client CPU', 'Valkey CPU'],
      ...summary.map(({ what, wall, cpu, serverCpu }) => [what, times(wall), times(cpu), times(serverCpu)]),
    ]),
  ].join('\n')
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const percent = (part: number): string => `${(part * 100).toFixed(0)} %`
const times = (ratio: number): string => ratio.toFixed(2)
