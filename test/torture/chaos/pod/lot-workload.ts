import type { Prisma } from '#prisma/client/client.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { composedLists, lookupsOfLots, type Release } from '../rows.ts'
import {
  changes,
  creations,
  deletions,
  labelled,
  type LotForm,
  returningChanges,
  sequences,
} from './lot-forms.ts'
import { LotPicks } from './lot-picks.ts'
import { type ComposedReader, type LotCache, type LotKey, readLookup } from './reader.ts'
import type { PodWork } from './settings.ts'
import { RollBack, type Written } from './writer.ts'

interface LotWork extends PodWork {
  /** Undefined in a worker. */
  readonly cache: LotCache | undefined
  readonly composed: ComposedReader
  readonly release: Release
  readonly fundraisers: number
}

const LEARN_EVERY_MS = 200
/** Lots of a fundraiser on average: above only deletions follow, below only creations. */
const [FEW, MANY] = [5, 7]

const unique = (values: readonly string[]): string[] => [...new Set(values)]

/** Random reads of lists and unique keys, and random writes of their rows, concurrently. */
export async function workOnLots(work: LotWork): Promise<void> {
  const { cache, composed, database, fundraisers, isPlain, loops } = work
  const { onRead, prisma, random, release, writer } = work
  const ofDatabase = database.returnsWritten ? [...changes, ...returningChanges] : changes
  const picks = new LotPicks(random, fundraisers)

  async function read(): Promise<void> {
    const lookup = random.pick(lookupsOfLots(release))
    const keys = Array.from({ length: random.integer(1, 4) }, () => picks.key())
    onRead(...(await readLookup(cache!, lookup, keys)))
  }

  async function readComposed(): Promise<void> {
    const lists = composedLists(release)
    if (lists.length === 0) return
    const lookup = random.pick(lists)
    const keys = Array.from({ length: random.integer(1, 4) }, () => picks.key())
    const [{ fundraiserId }] = keys as [LotKey]
    const reading = random.pick([
      () => composed.byFundraiser(lookup, fundraiserId),
      () => composed.ofFundraiser(lookup, fundraiserId),
      () => composed.withLots(lookup, unique(keys.map((key) => key.fundraiserId))),
      () => composed.withNeighbours(lookup, unique(keys.map(({ id }) => id))),
    ])
    onRead(...(await reading()))
  }

  async function perform(tag: string): Promise<Written> {
    const run = (client: Prisma.TransactionClient, form: LotForm) =>
      form({ prisma: client, picks, tag, returnsWritten: database.returnsWritten })
    if (random.chance(0.6)) return run(prisma, formNow())
    if (random.chance(0.15)) return performBatch(tag)
    return prisma.$transaction(async (client) => {
      const forms = random.chance(0.6) ? [random.pick(sequences)] : [formNow(), formNow()]
      const results: Written[] = []
      for (const form of forms) results.push(await run(client, form))
      if (random.chance(0.1)) throw new RollBack()
      return {
        written: Math.max(...results.map(({ written }) => written)),
        deleted: results.flatMap(({ deleted = [] }) => deleted),
      }
    })
  }

  async function performBatch(tag: string): Promise<Written> {
    const data = () => ({ sortOrder: picks.sortOrder(), status: picks.status(), label: tag })
    const lots = await prisma.$transaction(
      picks.lots(2).map(({ id }) => prisma.auctionItem.update({ where: { id }, data: data() })),
    )
    return { written: labelled(tag, ...lots) }
  }

  function formNow(): LotForm {
    const kind = random.next()
    if (kind < 0.7) return random.pick(ofDatabase)
    if (picks.average < FEW) return random.pick(creations)
    return random.pick(picks.average > MANY || kind < 0.85 ? deletions : creations)
  }

  // The server may be down.
  while (
    !(await picks.refresh(database).then(
      () => true,
      () => false,
    ))
  )
    await sleep(LEARN_EVERY_MS)
  loops.start(1, LEARN_EVERY_MS, () => picks.refresh(database))
  if (cache) loops.start(5, 40, read)
  if (cache || isPlain) loops.start(3, 60, readComposed)
  loops.start(2, 500, () =>
    isPlain ? writer.runPlain(perform) : writer.run(undefined, ({ tag }) => writer.count(() => perform(tag))),
  )
}
