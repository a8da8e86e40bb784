import { percent } from '../harness/format.ts'
import type { Result } from '../harness/result.ts'
import { table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import type { measureBuckets } from '../suites/scale/buckets.ts'

type Stored = Pick<Awaited<ReturnType<typeof measureBuckets>>, 'cases' | 'nodes' | 'rows' | 'server'> &
  Pick<Result, 'node' | 'cpu' | 'date'>

/** The generated part of docs/cluster.md: what a burst costs, by number of buckets. */
export function bucketCosts({ cases, cpu, date, node, nodes, rows, server }: Stored): string {
  const { table: shown } = table('', cases, {
    keys: 'name',
    'CPU of the client, ms': ({ cpuMs }) => cpuMs.toFixed(1),
    'CPU of the nodes, ms': ({ serverCpuMs }) => serverCpuMs.toFixed(1),
    commands: 'commands',
    'rows of the fullest node': ({ fullest }) => fullest && percent(fullest.mean),
  })
  const about =
    `\`npm run bench -- cluster\`: ${rows.toLocaleString('en')} different rows, undecoded, ${server}, ${nodes} nodes on the ` +
    `processors of the client; Node ${node}, ${cpu}, ${date.slice(0, 10)}.`
  return [about, markdownTable(shown!)].join('\n\n')
}
