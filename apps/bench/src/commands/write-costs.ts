import { table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import type { measure } from '../suites/write/measure.ts'
import { measuredBy, type Source } from './measured-by.ts'

type Stored = Source & Pick<Awaited<ReturnType<typeof measure>>, 'ratios'>

/** What docs/consistency.md has of the comparisons of the suite. */
const COMPARISONS = [
  'write with Prisma: fenced / bare',
  'write with Prisma: fenced / then UNLINK',
  'write with Prisma: between the scripts alone / then UNLINK',
  'write with Prisma: captured, no cache / bare',
  'write with SQL: fenced / bare',
  'write with SQL: fenced / then UNLINK',
  'write with SQL: between the scripts alone / then UNLINK',
  'miss of one row: with a lease / without a lease',
  'miss of one row: with a lease / GET, load, SET',
  'miss of one row: GET, lease, load, fill / GET, load, SET',
  'misses of 500 rows at once: with a lease / GET, load, SET',
  'misses of 500 rows at once: GET, lease, load, fill / GET, load, SET',
  'update of 995 rows by compound keys: extended / plain',
  'delete of 995 rows by compound keys: extended / plain',
  'createMany of 50,000 rows with ids: extended / plain',
]

/** The generated part of docs/consistency.md: what fences, captures and leases cost. @throws when a comparison was not measured */
export function writeCosts(stored: Stored): string {
  const chosen = COMPARISONS.map((name) => {
    const ratio = stored.ratios.find(({ what }) => what === name)
    if (!ratio) throw new Error(`docs/consistency.md needs "${name}": npm run bench -- write.`)
    return ratio
  })
  const { table: shown } = table('', chosen, {
    'one / the other': 'what',
    time: ({ wall }) => wall.toFixed(1),
    'CPU of the client': ({ cpu }) => cpu.toFixed(1),
  })
  return [measuredBy(stored), markdownTable(shown!)].join('\n\n')
}
