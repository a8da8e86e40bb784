import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { inPercent, table } from '../../harness/section.ts'

export const cluster = defineComparison({
  name: 'cluster',
  question: 'What do 5,350 reads in one tick cost on a cluster of three nodes, by number of buckets?',
  packages: ['ioredis'],
  full: { rounds: 21, warmUps: 20, rows: 5_350 },
  quick: { rounds: 1, warmUps: 1, rows: 1_000 },
  workload: async (run) => (await import('./buckets.ts')).measureBuckets(run),
  columns: ({ server, nodes, rows, models, rounds, cases }) => [
    table(
      'One burst on a cluster, by number of buckets',
      cases,
      {
        '': 'name',
        'CPU ms': 'cpuMs',
        '±': inPercent(({ cpuSpread }) => cpuSpread),
        'wall ms': 'wallMs',
        'nodes CPU ms': 'serverCpuMs',
        commands: 'commands',
        'fullest node': inPercent(({ fullest }) => fullest?.mean),
        worst: inPercent(({ fullest }) => fullest?.worst),
      },
      {
        text: [
          `${server}. One tick reads ${rows} different rows, all stored, in a cluster of ${nodes} nodes. Payloads stay undecoded.`,
          `Medians of ${rounds} interleaved rounds. Fullest node: the share of a model's rows on the node with the most of them; mean and worst of ${models} models.`,
        ],
        chart: { y: 'ms of processor time', columns: ['CPU ms', 'nodes CPU ms'] },
      },
    ),
  ],
  conclusion({ cases }) {
    const of = (name: string) => cases.find((one) => one.name.startsWith(name))!
    const [own, perKey] = [of('64'), of('GET per key, auto')]
    return (
      `With 64 buckets, the default, one burst takes the client ${own.cpuMs.toFixed(1)} ms of processor time in ${own.commands} ` +
      `commands; a GET per key, auto-pipelined, takes ${perKey.cpuMs.toFixed(1)} ms in ${perKey.commands}.`
    )
  },
  // The fewest buckets, the default, and many.
  figures: ({ cases }) =>
    figuresOf(
      cases.filter(({ buckets = 0 }) => [1, 64, 256].includes(buckets)),
      ({ name }) => name,
      {
        ': CPU': ['cpuMs', 'ms'],
        ': CPU of the nodes': ['serverCpuMs', 'ms'],
        ': commands': ['commands', 'commands'],
        ': fullest node': [({ fullest }) => fullest!.mean * 100, '% of the rows'],
      },
    ),
})
