import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { table, type Columns } from '../../harness/section.ts'
import { UNCONFIGURED, type CountedCase } from './allocation-case.ts'

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
  tolerance: ({ tolerance }) => (tolerance === 0 ? '' : `${(tolerance * 100).toFixed(1)} %`),
}

export const allocations = defineComparison({
  name: 'allocations',
  question: 'How many objects and bytes do a read, a fill and a row allocate, and in which file?',
  isSteady: true,
  packages: ['@nestjs/core', 'lru-cache', 'prom-client'],
  // Counts do not need repeats.
  full: {},
  quick: {},
  variants: ['case or group', async () => (await import('./cases.ts')).allCases],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ cases, problems }) {
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
          ...(problems.length > 0
            ? problems
            : ['All counts are as recorded, and features that are not configured allocate nothing.']),
        ],
      },
      ...Object.entries(GROUPS).map(([group, [title, text]]) =>
        table(
          title,
          cases.filter((one) => one.group === group),
          { ...columns, ...(group === 'hook' && { 'more bytes': more }) },
          { text: [text], chart: { y: 'bytes of the heap', columns: ['bytes'] } },
        ),
      ),
      table(
        'A hit of the store that is alone in its tick, by file',
        files.toSorted((a, b) => b.bytes - a.bytes),
        { '': 'file', bytes: 'bytes' },
        { text: ['Allocations of V8 functions, as Promise.all, count for the file that calls them.'] },
      ),
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
    figuresOf(
      cases.filter(({ name }) => FOLLOWED.includes(name)),
      ({ name }) => name,
      { '': [({ written }) => written.bytes, 'bytes'] },
    ),
  problems: ({ problems }) => problems,
})
