/** The process that counts, with the flags of a mode. */
import { serveParent } from '../../harness/process.ts'
import { allCases } from './all-cases.ts'
import { countAllocations, countCollections } from './counting.ts'
import type { Allocated } from './profile.ts'

export interface Mode {
  readonly flags: readonly string[]
  /** Reads before those that count. */
  readonly warmUps: number
  /** Runs of which the least counts; for collections, reads. */
  readonly runs: number
}

type Counts = { readonly allocated: Record<string, Allocated>; readonly collections: Record<string, number> }

/** Time stands still: what the library does at once depends on how long it took before, and so on how busy the machine is. */
const { now } = performance
performance.now = () => {
  now.call(performance)
  return 1_000
}

const methods = serveParent({
  async count({ names, mode }: { names: readonly string[]; mode: Mode & { readonly collects: boolean } }) {
    const counts: Counts = { allocated: {}, collections: {} }
    for (const { name, open, per } of allCases.filter((one) => names.includes(one.name))) {
      const operation = await open()
      for (let reads = 0; reads < mode.warmUps; reads += per) await operation.run()
      if (mode.collects) counts.collections[name] = await countCollections(operation, mode.runs / per)
      else counts.allocated[name] = await countAllocations(operation, mode.runs)
      await operation.close?.()
    }
    return counts
  },
})
export type Counting = typeof methods
