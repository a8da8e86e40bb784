import { totalOf } from '../../../../test/torture/chaos/chaos.ts'
import type { Chaos } from '../../../../test/torture/chaos/measure.ts'
import { table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import type { PageMeasurements } from '../suites/page/measure.ts'

/** The variants of the page that README shows, by what their resolvers do. */
const resolvers = {
  'Prisma alone': 'Prisma',
  "unchanged, reads: 'all', L1, two lists": 'model-cache reads',
  'injected caches, L1': 'model-cache L1',
} as const

/** What README shows first: what a page costs. @throws when one of its variants was not measured */
export function pageTable({ variants }: Pick<PageMeasurements, 'variants'>): string {
  const rows = Object.entries(resolvers).map(([does, name]) => {
    const variant = variants.find((each) => each.name === name)
    if (!variant)
      throw new Error(`README needs the variant "${name}": npm run bench -- page, without --only.`)
    return { ...variant, resolvers: does }
  })
  const ms = (value: number): string => `${value.toFixed(1)} ms`
  const { table: shown } = table('', rows, {
    resolvers: 'resolvers',
    'SQL statements': 'queries',
    'Valkey commands': 'commands',
    median: ({ belowP50Ms }) => ms(belowP50Ms),
    CPU: ({ cpuMs }) => ms(cpuMs),
  })
  return markdownTable(shown!)
}

/** How many reads were stale under faults, and how many of all ran in which mode. */
export function staleReads(chaos: Chaos): string {
  const [stale, reads] = [totalOf(chaos, 'staleReads'), totalOf(chaos, 'reads')]
  const refusing = reads - (chaos.available?.reads ?? 0)
  const text = (count: number): string => count.toLocaleString('en')
  return [
    `Under faults of pods, connections and servers, **${text(stale)} of ${text(reads)}** reads were stale`,
    `(\`npm run bench -- chaos\`). Of all reads, ${text(refusing)} ran in mode [\`strict\`](docs/options.md#consistencymode),`,
    'which refuses a write that it cannot fence, and the others in the default `available`, which lets it pass.',
  ].join(' ')
}
