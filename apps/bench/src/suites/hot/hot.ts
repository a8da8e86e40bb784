import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { inPercent, table } from '../../harness/section.ts'

const ofReads = {
  '': 'name',
  'rows in memory': 'held',
  'ticks a second': 'ticksPerSecond',
  'commands for the hottest key a second': 'hottestPerSecond',
  'keys a second': 'keysPerSecond',
  'commands a second': 'commandsPerSecond',
  'busiest node to the median': 'busiestNode',
  'CPU µs a read': 'cpuUs',
} as const

export const hot = defineComparison({
  name: 'hot',
  question:
    'What does L1 for hot rows save where a few rows get most reads, and what does it cost where none does?',
  packages: ['ioredis'],
  full: { rounds: 31, seconds: 20, rows: 100_000 },
  quick: { rounds: 3, seconds: 2, rows: 5_000 },
  workload: async (run) => (await import('./measure.ts')).measureHot(run),
  columns: ({ server, nodes, skew, rows, seconds, rounds, burst, skewed, scanned, even, ...rates }) => [
    table('Skewed reads', skewed, ofReads, {
      text: [
        `${server}, a cluster of ${nodes} nodes. One process reads ${rows} rows, ${rates.readsPerSecond} times a second in ${rates.ticksPerSecond} ticks, for ${seconds} s, by Zipf's law with s = ${skew}.`,
      ],
    }),
    table('Skewed reads beside a scan', scanned, ofReads, {
      text: [`The same, while the process reads as many other rows, each of them once.`],
    }),
    table(
      'Even reads',
      even,
      {
        '': 'name',
        'CPU µs a read': 'cpuUs',
        '±': inPercent(({ cpuSpread }) => cpuSpread),
        commands: 'commands',
      },
      {
        text: [
          `Bursts of ${burst} rows, of which each row is as likely as the others. Medians of ${rounds} interleaved rounds.`,
        ],
      },
    ),
  ],
  conclusion({ skewed: [without, hot], scanned: [, , plain], even: [evenWithout, evenHot, , evenPlain] }) {
    return (
      `The hottest key takes ${hot!.hottestPerSecond} commands a second of a process instead of ${without!.hottestPerSecond}; ` +
      `where no row is hot, a read costs ${evenHot!.cpuUs.toFixed(1)} µs of processor time instead of ${evenWithout!.cpuUs.toFixed(1)} µs. ` +
      `L1 of as many rows that keeps each takes ${plain!.hottestPerSecond} beside a scan, and ${evenPlain!.cpuUs.toFixed(1)} µs where it has 1,000.`
    )
  },
  figures: ({ skewed, even }) => ({
    ...figuresOf(skewed, ({ name }) => name, {
      ': commands for the hottest key': ['hottestPerSecond', 'commands/s'],
    }),
    ...figuresOf(even, ({ name }) => name, { ': CPU of an even read': ['cpuUs', 'µs'] }),
  }),
  goals: {
    'commands for the hottest key a second': { most: 1.5 },
    'busiest node to the median': { most: 1.5 },
    'CPU of even reads to that without L1': { most: 1.05 },
  },
})
