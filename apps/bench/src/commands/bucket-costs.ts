import { percent } from '../harness/format.ts'
import { table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import type { measureBuckets } from '../suites/scale/buckets.ts'
import { measuredBy, type Source } from './measured-by.ts'

type Stored = Source & Pick<Awaited<ReturnType<typeof measureBuckets>>, 'cases' | 'nodes' | 'rows'>

/** The generated part of docs/cluster.md: what a burst costs, by number of buckets. */
export function bucketCosts(stored: Stored): string {
  const { cases, nodes, rows } = stored
  const { table: shown } = table('', cases, {
    keys: 'name',
    'CPU of the client, ms': ({ cpuMs }) => cpuMs.toFixed(1),
    'CPU of the nodes, ms': ({ serverCpuMs }) => serverCpuMs.toFixed(1),
    commands: 'commands',
    'rows of the fullest node': ({ fullest }) => fullest && percent(fullest.mean),
  })
  const about = `${measuredBy(stored)} ${rows.toLocaleString('en')} different rows, undecoded, from ${nodes} nodes on the processors of the client.`
  return [about, markdownTable(shown!)].join('\n\n')
}
