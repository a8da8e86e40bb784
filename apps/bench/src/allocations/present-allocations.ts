import type { Section } from '../report/section.ts'
import type { AllocationMeasurements, Count, CountedCase } from './allocation-measurements.ts'
import type { Group } from './cases/allocation-case.ts'
import { UNCONFIGURED } from './cases/hooks.ts'

const TITLES: Readonly<Record<Group, string>> = {
  alone: 'A read that is alone in its tick',
  together: 'A read among 100 of one tick',
  hook: 'What listens to a hit of the store',
  codec: 'A row into and out of its text',
}

const TEXTS: Readonly<Record<Group, readonly string[]>> = {
  alone: [
    'A lot of 2 kB in the memory store, so that the network is not counted. "bare path" is what no read can do without: a promise, a turn, a question to the store, the row.',
  ],
  together: ['Divided by 100. Who asks has a promise for each read and one for all, which is counted.'],
  hook: [
    'A hit that is alone in its tick, by what is configured beside it, and how much more than nothing that is.',
  ],
  codec: ['JSON.parse and JSON.stringify bring back and take strings where the row has dates and decimals.'],
}

export function presentAllocations({ cases, problems }: AllocationMeasurements): Section[] {
  const groups = (['alone', 'together', 'hook', 'codec'] as const).filter((group) =>
    cases.some((entry) => entry.group === group),
  )
  const hit = cases.find(({ name }) => name === 'store hit')
  return [
    {
      title: 'How it is counted',
      text: [
        'Objects and bytes on the heap of V8, each of them counted, less what the counting itself allocates.',
        'As written: without the optimising compilers, the same in every run; this is compared with the baseline.',
        'Optimised: as after a while, without objects that the compilers find not to be needed.',
        'Collections: of garbage, in 20,000 reads, with a young generation of 16 MB.',
        ...(problems.length > 0
          ? problems
          : ['All is as recorded, and nothing is allocated for what nobody configured.']),
      ],
    },
    ...groups.map((group) => sectionOf(group, cases)),
    ...(hit ? [filesOf(hit)] : []),
  ]
}

function sectionOf(group: Group, all: readonly CountedCase[]): Section {
  const cases = all.filter((entry) => entry.group === group)
  const none = cases.find(({ name }) => name === UNCONFIGURED)
  const more = (count: Count): string[] => (none ? [signed(count.bytes - none.written.bytes)] : [])
  return {
    title: TITLES[group],
    text: TEXTS[group],
    table: {
      head: [
        '',
        'bytes',
        'objects',
        ...(none ? ['more bytes'] : []),
        'optimised bytes',
        'objects',
        'collections',
        'may differ',
      ],
      rows: cases.map(({ name, written, optimised, collections, tolerance }) => [
        name,
        ...figuresOf(written),
        ...more(written),
        ...(optimised ? figuresOf(optimised) : ['', '']),
        collections === undefined ? '' : String(collections),
        tolerance === 0 ? '' : `${(tolerance * 100).toFixed(1)} %`,
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'bytes of the heap, as written',
      categories: cases.map(({ name }) => name),
      series: [{ name: 'bytes', values: cases.map(({ written }) => written.bytes) }],
    },
  }
}

/** Where a hit spends its bytes. */
function filesOf({ byFile }: CountedCase): Section {
  const files = Object.entries(byFile).toSorted(([, a], [, b]) => b - a)
  return {
    title: 'A hit of the store that is alone in its tick, by file',
    text: [
      "As written. What V8's own functions allocate, such as Promise.all, counts for the file that calls them; `node` are timers and promises.",
    ],
    table: { head: ['', 'bytes'], rows: files.map(([file, bytes]) => [file, whole(bytes)]) },
  }
}

const figuresOf = ({ bytes, objects }: Count): string[] => [
  whole(bytes),
  objects.toFixed(objects < 100 ? 1 : 0),
]

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const signed = (bytes: number): string => (bytes > 0 ? `+${whole(bytes)}` : whole(bytes))
