import { say } from '../progress.ts'
import type { Count, CountedCase } from './allocation-measurements.ts'
import type { AllocationCase } from './cases/allocation-case.ts'
import type { Allocated } from './counting/profile.ts'
import { countInProcess } from './counting/start-counting.ts'

/**
 * Counts in processes of their own, one for each mode.
 *
 * @param quick for what the code says alone
 * @param imports modules that the processes load first
 */
export async function countCases(
  chosen: readonly AllocationCase[],
  quick: boolean,
  imports: readonly string[] = [],
): Promise<CountedCase[]> {
  const names = chosen.map(({ name }) => name)
  say(`${names.length} cases, without optimising compilers …`)
  const written = await countInProcess<Allocated>('written', names, imports)
  if (!quick) say('… with them …')
  const optimised = quick ? undefined : await countInProcess<Allocated>('optimised', names, imports)
  if (!quick) say('… and collections of garbage')
  const collections = quick ? undefined : await countInProcess<number>('collected', names, imports)
  return chosen.map(({ name, group, per, tolerance = 0 }): CountedCase => {
    const each = ({ bytes, objects }: Allocated): Count => ({ bytes: bytes / per, objects: objects / per })
    return {
      name,
      group,
      tolerance,
      written: each(written.get(name)!),
      ...(optimised && { optimised: each(optimised.get(name)!) }),
      ...(collections && { collections: collections.get(name)! }),
      byFile: written.get(name)!.byFile,
    }
  })
}
