/** The process that counts: `count-process.ts CASE…`, with an IPC channel and the flags of a mode. */
import { allCases } from '../cases/all-cases.ts'
import { countAllocations } from './count-allocations.ts'
import { countCollections } from './count-collections.ts'
import { MODES, type Mode } from './modes.ts'

const [mode, ...names] = process.argv.slice(2) as [Mode, ...string[]]
const { warmUps, runs } = MODES[mode]

for (const { name, open, per } of allCases.filter((entry) => names.includes(entry.name))) {
  const operation = await open()
  for (let reads = 0; reads < warmUps; reads += per) await operation.run()
  const counted =
    mode === 'collected'
      ? await countCollections(operation, runs / per)
      : await countAllocations(operation, runs)
  process.send!([name, counted])
  await operation.close?.()
}
process.disconnect!()
