/** The process that reads pages through one variant. */
import {
  collectGarbage,
  cpuTime,
  type LoopDelays,
  requireSame,
  serveParent,
  watchLoop,
} from '../bench/harness.ts'
import { settingsOf } from '../process.ts'
import { openWatchedPrisma } from '../watched-prisma.ts'
import { describePage, idsOf, USERS, type Page } from './page.ts'
import type { ProcessSettings } from './variant.ts'
import { allVariants } from './variants.ts'

const { databaseUrl, valkeyUrl, variant } = settingsOf<ProcessSettings>()
const { name, open } = allVariants.find((one) => one.name === variant)!
let queries = 0
const prisma = openWatchedPrisma(databaseUrl, () => void queries++)
const opened = await open({ prisma, valkeyUrl })

let cpuBefore = 0
let queriesBefore = 0
let stopWatching: () => LoopDelays
// One page stays alive: V8 discards code when a collection finds no object for which it was optimised.
const kept: { page: Page } = { page: [] }

/** All users read the page at once, or each when the one before has it. */
async function readPages(isInTurn: boolean): Promise<Page[]> {
  if (!isInTurn) return Promise.all(Array.from({ length: USERS }, () => opened.page()))
  const pages: Page[] = []
  while (pages.length < USERS) pages.push(await opened.page())
  return pages
}

const methods = serveParent({
  /** Resolves when the last user has the page. */
  async wave(isInTurn: boolean) {
    queriesBefore = queries
    stopWatching = watchLoop()
    cpuBefore = cpuTime()
    const pages = await readPages(isInTurn)
    const cpuMs = cpuTime() - cpuBefore
    kept.page = pages[0]!
    return { cpuMs }
  },
  /** Measurements since the wave began; called when everything that follows from it is done. */
  finish() {
    const cpuMs = cpuTime() - cpuBefore
    const { maxMs } = stopWatching()
    return { cpuMs, loopMaxMs: maxMs, queries: queries - queriesBefore }
  },
  /** @throws when the first or the last user gets another page, @param expected as `describePage` has it */
  async verify(expected: string) {
    const pages = await readPages(false)
    for (const page of [pages[0]!, pages.at(-1)!]) requireSame(name, describePage(page), expected)
  },
  /** Ends every second list. */
  async endHalf() {
    const lotIds = idsOf(kept.page.map(({ lot }) => lot))
    await opened.endLists?.(lotIds.filter((_, index) => index % 2 === 0))
  },
  /** Called before the store is emptied. */
  async forget() {
    await opened.forget?.()
  },
  collectGarbage,
})
export type Serving = typeof methods
