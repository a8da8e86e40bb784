/** The process that reads lists through one variant all the time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { serveParent } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { Loops } from '../loops.ts'
import { settingsOf } from '../process.ts'
import { openWatchedPrisma } from '../watched-prisma.ts'
import { numberIn, type ReadList } from './count-stale.ts'
import type { ProcessSettings } from './variant.ts'
import { allVariants } from './variants.ts'

const READERS = 4
const PAUSE_MS = 4
/** Lots of one read, at most. */
const LOTS = 6
/** Part of the answers of the database that arrive late, as on a busy machine: writes commit meanwhile. */
const LATE = 0.2
const LATE_MS = 25

const { databaseUrl, variant, ...environment } = settingsOf<ProcessSettings>()
const { open } = allVariants.find(({ name }) => name === variant)!
const random = createRandom('model-cache bench lists, reader')
const prisma = openWatchedPrisma(
  databaseUrl,
  () => {},
  async () => {
    if (random.chance(LATE)) await sleep(random.integer(1, LATE_MS))
  },
)
const opened = await open({ prisma, ...environment })

let reads: ReadList[] = []
let loops: Loops

async function readOne(lotIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(Array.from({ length: random.integer(1, LOTS) }, () => random.pick(lotIds)))]
  const at = machineTime()
  const lists = await opened.highest(wanted)
  for (const [index, lotId] of wanted.entries()) {
    const { bids, bidders } = lists[index]!
    const names = bids.map(({ bidderId }, place) => [bidderId, numberIn(bidders[place]!)] as const)
    reads.push({ lotId, at, amounts: bids.map(({ amount }) => Number(amount)), names })
  }
}

const methods = serveParent({
  /** Begins to read lists of these lots. */
  start(lotIds: readonly string[]) {
    loops = new Loops(random)
    loops.start(READERS, PAUSE_MS, () => readOne(lotIds))
  },
  /** @throws when a read has failed */
  async stop() {
    await loops.stop()
    const all = reads
    reads = []
    return all
  },
})
export type Reading = typeof methods
