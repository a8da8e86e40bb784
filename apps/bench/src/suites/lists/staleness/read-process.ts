/** The process that reads lists through one variant all the time: `read-process.ts VARIANT`, with DATABASE_URL and VALKEY_URL. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { serveParent } from '../../../harness/process.ts'
import { machineTime } from '../../chaos/pod/protocol.ts'
import { allVariants } from '../all-variants.ts'
import { openDatabase } from '../database.ts'
import type { ReadList } from './count-stale.ts'

const READERS = 4
const PAUSE_MS = 4
/** Lots of one read, at most. */
const LOTS = 6
/** Part of the answers of the database that arrive late, as on a busy machine: writes commit meanwhile. */
const LATE = 0.2
const LATE_MS = 25

const { open } = allVariants.find(({ name }) => name === process.argv[2])!
const random = createRandom('model-cache bench lists, reader')
const prisma = openDatabase(
  process.env.DATABASE_URL!,
  () => {},
  async () => {
    if (random.chance(LATE)) await sleep(random.integer(1, LATE_MS))
  },
)
const opened = await open({ prisma, valkeyUrl: process.env.VALKEY_URL! })

let reads: ReadList[] = []
let over = new AbortController()
let loops: Promise<unknown> = Promise.resolve()

async function readOn(lotIds: readonly string[], { signal }: AbortController): Promise<void> {
  while (!signal.aborted) {
    const wanted = new Set(Array.from({ length: random.integer(1, LOTS) }, () => random.pick(lotIds)))
    const at = machineTime()
    const lists = await opened.highest([...wanted])
    for (const [index, lotId] of [...wanted].entries()) {
      reads.push({ lotId, at, amounts: lists[index]!.bids.map(({ amount }) => Number(amount)) })
    }
    await sleep(random.integer(0, PAUSE_MS))
  }
}

const methods = serveParent({
  /** Begins to read lists of these lots. */
  start(lotIds: readonly string[]) {
    over = new AbortController()
    loops = Promise.all(Array.from({ length: READERS }, () => readOn(lotIds, over)))
    loops.catch(() => {})
  },
  /** @throws when a read has failed */
  async stop() {
    over.abort()
    await loops
    const all = reads
    reads = []
    return all
  },
})
export type Reading = typeof methods
