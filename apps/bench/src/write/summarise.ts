import type { CostCase, CostRatio } from './write-measurements.ts'

/** Every other case of a group in relation to one of them: `[group, one, others…]`. */
const COMPARISONS: readonly (readonly [group: string, name: string, others: readonly string[]])[] = [
  ['write with Prisma', 'fenced', ['bare', 'then UNLINK']],
  ['write with SQL', 'fenced', ['bare', 'then UNLINK']],
  ['miss of one row', 'with a lease', ['without a lease', 'GET, load, SET']],
  ['misses of 500 rows at once', 'with a lease', ['without a lease', 'GET, load, SET']],
  ['leases of 64 rows', 'one script', ['64 × SET NX GET PX', '64 × SET NX GET PX, pipeline']],
  ['fills of 64 rows', 'one script', ['a script per row', '64 × SET PX', '64 × SET PX, pipeline']],
]

/** How many times as much consistency costs as what has less of it. */
export function summarise(cases: readonly CostCase[]): CostRatio[] {
  const find = (group: string, name: string): CostCase | undefined =>
    cases.find((one) => one.group === group && one.name === name)
  return COMPARISONS.flatMap(([group, name, others]) =>
    others.flatMap((other): CostRatio[] => {
      const [one, another] = [find(group, name), find(group, other)]
      if (!one || !another) return []
      return [
        {
          what: `${group}: ${name} / ${other}`,
          wall: one.wallUs / another.wallUs,
          cpu: one.cpuUs / another.cpuUs,
          serverCpu: one.serverCpuUs / another.serverCpuUs,
        },
      ]
    }),
  )
}
