import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { inPercent, table } from '../../harness/section.ts'

const FOLLOWED = ['fenced', 'with results', 'with results by two fields', 'with a lease', 'one script']

export const write = defineComparison({
  name: 'write',
  question: 'What do fences and leases cost, and scripts beside single commands?',
  isSteady: true,
  packages: ['@prisma/client', 'ioredis', 'pg'],
  full: { rounds: 31, warmUps: 10 },
  quick: { rounds: 3, warmUps: 1 },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ server, database, rounds, bytesPerRow, cases, ratios }) => [
    {
      title: 'Tasks',
      text: [
        `${server}, ${database}. Rows of ${bytesPerRow} bytes. Microseconds, medians of ${rounds} interleaved rounds. A miss ends when the row is stored.`,
      ],
    },
    ...Array.from(
      Map.groupBy(cases, ({ group }) => group),
      ([group, ofGroup]) =>
        table(
          group,
          ofGroup,
          {
            '': 'name',
            'wall µs': 'wallUs',
            '± wall': inPercent(({ wallSpread }) => wallSpread),
            'client CPU µs': 'cpuUs',
            '± CPU': inPercent(({ cpuSpread }) => cpuSpread),
            'Valkey CPU µs': 'serverCpuUs',
            ...(ofGroup.some(({ turnMs }) => turnMs > 0) && { 'longest turn ms': 'turnMs' as const }),
          },
          { chart: { y: 'µs', columns: ['wall µs', 'client CPU µs', 'Valkey CPU µs'] } },
        ),
    ),
    table('Cost of consistency as a multiple of doing without', ratios, {
      '': 'what',
      wall: 'wall',
      'client CPU': 'cpu',
      'Valkey CPU': 'serverCpu',
      'longest turn': 'turn',
    }),
  ],
  conclusion({ ratios }) {
    const of = (what: string) => ratios.find((ratio) => ratio.what === what)!
    const write = of('write with Prisma: fenced / bare')
    const miss = of('miss of one row: with a lease / GET, load, SET')
    return (
      `A fenced write with Prisma takes ${write.wall.toFixed(1)} times the wall time and ${write.cpu.toFixed(1)} times the ` +
      `processor time of one that invalidates nothing; a miss with a lease ${miss.wall.toFixed(1)} times the wall time of a bare GET, load and SET.`
    )
  },
  headlines({ cases }) {
    const of = (name: string) => cases.find((one) => one.group === 'write with Prisma' && one.name === name)!
    const us = (value: number): string => `${Math.round(value).toLocaleString('en')} µs`
    const [fenced, bare] = ['fenced', 'bare'].map(
      (name) => `${us(of(name).wallUs)} and ${us(of(name).cpuUs)} of CPU`,
    )
    return { 'A fenced write with Prisma': `${fenced}, without any invalidation ${bare}` }
  },
  figures: ({ cases }) =>
    figuresOf(
      cases.filter(({ name }) => FOLLOWED.includes(name)),
      ({ group, name }) => `${group}, ${name}`,
      { ': CPU': ['cpuUs', 'µs'], ': CPU of Valkey': ['serverCpuUs', 'µs'] },
    ),
})
