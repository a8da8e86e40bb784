import type { Prisma } from '#prisma/client/client.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import type { LotPicks } from './lot-picks.ts'
import type { Written } from './writer.ts'

/** What a form needs. */
export interface LotFormContext {
  /** Extended; within a transaction its client. */
  readonly prisma: Prisma.TransactionClient
  readonly picks: LotPicks
  /** The label that every written lot gets. */
  readonly tag: string
  /**
   * Whether the database returns the rows that it deletes. Otherwise Prisma selects a row before, and resolves as well if another transaction
   * has deleted it in between.
   */
  readonly returnsWritten: boolean
}

export type LotForm = (context: LotFormContext) => Promise<Written>

const select = { id: true, label: true } as const
/** The row shows the label that the write gave to it, or has not been written: it was deleted after Prisma had selected it. */
export const labelled = (tag: string, ...rows: readonly { readonly label: string | null }[]): number =>
  rows.filter(({ label }) => label === tag).length
const one = async (tag: string, write: PromiseLike<{ label: string | null }>): Promise<Written> => ({
  written: labelled(tag, await write),
})
const many = async (write: PromiseLike<{ count: number }>): Promise<Written> => ({
  written: (await write).count,
})
/** Of nested writes: selects the rows that show it. */
const selectNested = (tag: string) => ({ auctionItems: { where: { label: tag }, select: { id: true } } })
const nested = async (write: PromiseLike<{ auctionItems: readonly unknown[] }>): Promise<Written> => ({
  written: (await write).auctionItems.length,
})
/** Of rows that are deleted. */
const found = ({ returnsWritten }: LotFormContext): number => (returnsWritten ? 1 : 0)

const { auctionItems, items } = buildDemoRows()
/** The item that all lots auction. */
const ITEM_ID = items[0]!.id
const { id: _id, fundraiserId: _fundraiserId, itemId: _itemId, ...template } = auctionItems[0]!

/** A new lot for a nested create, without its foreign keys. */
function newFields({ picks, tag }: LotFormContext, fundraiserId: string) {
  const fields = {
    lot: picks.freePlace(fundraiserId),
    sortOrder: picks.sortOrder(),
    status: picks.status(),
    label: tag,
  }
  return { ...(template as unknown as Prisma.AuctionItemUncheckedCreateWithoutFundraiserInput), ...fields }
}

function newLot(context: LotFormContext): Prisma.AuctionItemUncheckedCreateInput {
  const fundraiserId = context.picks.fundraiser()
  return { ...newFields(context, fundraiserId), fundraiserId, itemId: ITEM_ID }
}

/** Changes of one lot by its id. */
function change(
  fieldsOf: (
    context: LotFormContext,
  ) => Prisma.AuctionItemUncheckedUpdateInput | Prisma.AuctionItemUpdateInput,
): LotForm {
  return (context) => {
    const { picks, prisma, tag } = context
    const data = { ...fieldsOf(context), label: tag } as Prisma.AuctionItemUpdateInput
    return one(tag, prisma.auctionItem.update({ where: { id: picks.lot().id }, data, select }))
  }
}

/** Rows enter, leave and move. */
export const changes: readonly LotForm[] = [
  change(({ picks }) => {
    const fundraiserId = picks.fundraiser()
    return { fundraiserId, lot: picks.freePlace(fundraiserId), sortOrder: picks.sortOrder() }
  }),
  change(({ picks }) => {
    const id = picks.fundraiser()
    return { fundraiser: { connect: { id } }, lot: picks.freePlace(id) }
  }),
  change(({ picks }) => ({ sortOrder: picks.sortOrder() })),
  change(() => ({ sortOrder: { increment: 2 } })),
  change(() => ({ sortOrder: { decrement: 2 } })),
  change(({ picks }) => ({ status: picks.status() })),
  change(({ picks }) => ({ status: picks.status(), sortOrder: picks.sortOrder() })),
  change(() => ({ name: 'Another name' })),
  // By its unique key, which changes.
  ({ picks, prisma, tag }) => {
    const { fundraiserId, lot } = picks.lot()
    const where = { fundraiserId_lot: { fundraiserId, lot } }
    const data = { lot: picks.freePlace(fundraiserId), label: tag }
    return one(tag, prisma.auctionItem.update({ where, data, select }))
  },
  ({ picks, prisma, tag }) => {
    const where = { fundraiserId: picks.fundraiser(), status: picks.status() }
    return many(prisma.auctionItem.updateMany({ where, data: { status: picks.status(), label: tag } }))
  },
  ({ picks, prisma, tag }) => {
    const where = { fundraiserId: picks.fundraiser() }
    return many(
      prisma.auctionItem.updateMany({ where, data: { sortOrder: { increment: 1 }, label: tag }, limit: 3 }),
    )
  },
  ({ picks, prisma, tag }) => {
    const ids = picks.lots(2).map(({ id }) => id)
    const data = { fundraiserId: picks.fundraiser(), label: tag }
    return many(prisma.auctionItem.updateMany({ where: { id: { in: ids } }, data }))
  },
  ({ picks, prisma, tag }) => {
    const { fundraiserId, id } = picks.lot()
    const data = { sortOrder: picks.sortOrder(), status: picks.status(), label: tag }
    const auctionItems = { update: { where: { id }, data } }
    const where = { id: fundraiserId }
    return nested(prisma.fundraiser.update({ where, data: { auctionItems }, select: selectNested(tag) }))
  },
  ({ picks, prisma, tag }) => {
    const data = { status: picks.status(), label: tag }
    const auctionItems = { updateMany: { where: { status: picks.status() }, data } }
    const where = { id: picks.fundraiser() }
    return nested(prisma.fundraiser.update({ where, data: { auctionItems }, select: selectNested(tag) }))
  },
]

/** Changes that MySQL does not have. */
export const returningChanges: readonly LotForm[] = [
  async ({ picks, prisma, tag }) => {
    const where = { fundraiserId: picks.fundraiser(), sortOrder: { gt: picks.sortOrder() } }
    const data = { sortOrder: picks.sortOrder(), label: tag }
    const rows = await prisma.auctionItem.updateManyAndReturn({ where, data, select })
    return { written: labelled(tag, ...rows) }
  },
]

export const creations: readonly LotForm[] = [
  (context) => one(context.tag, context.prisma.auctionItem.create({ data: newLot(context), select })),
  (context) => {
    const data = { ...newLot(context), id: `own-${context.tag}` }
    return one(context.tag, context.prisma.auctionItem.create({ data, select }))
  },
  (context) => many(context.prisma.auctionItem.createMany({ data: [newLot(context), newLot(context)] })),
  (context) => {
    const id = context.picks.fundraiser()
    const auctionItems = { create: { ...newFields(context, id), itemId: ITEM_ID } }
    const select = selectNested(context.tag)
    return nested(context.prisma.fundraiser.update({ where: { id }, data: { auctionItems }, select }))
  },
  (context) => {
    const id = context.picks.fundraiser()
    const auctionItems = { create: { ...newFields(context, id), fundraiser: { connect: { id } } } }
    const data = { auctionItems: auctionItems as never }
    const select = selectNested(context.tag)
    return nested(context.prisma.item.update({ where: { id: ITEM_ID }, data, select }))
  },
  (context) => {
    const { picks, prisma, tag } = context
    const create = { ...newLot(context), lot: picks.place() }
    const where = { fundraiserId_lot: { fundraiserId: create.fundraiserId, lot: create.lot } }
    const update = { sortOrder: picks.sortOrder(), label: tag }
    return one(tag, prisma.auctionItem.upsert({ where, create, update, select }))
  },
]

export const deletions: readonly LotForm[] = [
  async (context) => {
    const { id } = await context.prisma.auctionItem.delete({ where: { id: context.picks.lot().id }, select })
    return { written: found(context), deleted: [id] }
  },
  async (context) => {
    const { fundraiserId, lot } = context.picks.lot()
    const where = { fundraiserId_lot: { fundraiserId, lot } }
    const { id } = await context.prisma.auctionItem.delete({ where, select })
    return { written: found(context), deleted: [id] }
  },
]

/** Forms of several statements, for a transaction. Each row gets the tag with its first change. */
export const sequences: readonly LotForm[] = [
  // A unique key passes from one lot to another.
  async ({ picks, prisma, tag }) => {
    const { auctionItem } = prisma
    const [giver, taker] = picks.lots(2).map(({ id }) => ({ id }))
    const { fundraiserId, lot, label } = await auctionItem.update({
      where: giver!,
      data: { label: tag },
      select: { ...select, fundraiserId: true, lot: true },
    })
    const taken = await auctionItem.update({ where: taker!, data: { label: tag }, select })
    await auctionItem.update({ where: giver!, data: { lot: `left ${tag}` }, select })
    await auctionItem.update({ where: taker!, data: { fundraiserId, lot }, select })
    await auctionItem.update({ where: giver!, data: { lot: picks.freePlace(fundraiserId) }, select })
    return { written: labelled(tag, { label }, taken) }
  },
  // To a new row.
  async (context) => {
    const { picks, prisma } = context
    const { fundraiserId, id, lot } = picks.lot()
    await prisma.auctionItem.delete({ where: { id }, select })
    await prisma.auctionItem.create({ data: { ...newLot(context), fundraiserId, lot }, select })
    return { written: 1 + found(context), deleted: [id] }
  },
  // Two lots change places in their lists.
  async ({ picks, prisma, tag }) => {
    const lots = picks.lots(2)
    let written = 0
    for (const [i, { id }] of lots.entries()) {
      const data = { sortOrder: lots[1 - i]?.sortOrder ?? 0, label: tag }
      written += labelled(tag, await prisma.auctionItem.update({ where: { id }, data, select }))
    }
    return { written }
  },
  // From the other side of the relation, which writes no label itself.
  async ({ picks, prisma, tag }) => {
    const fundraiserId = picks.fundraiser()
    const { id } = picks.lot()
    const data = { lot: `joins ${tag}`, label: tag }
    const joined = await prisma.auctionItem.update({ where: { id }, data, select })
    const auctionItems = { connect: { id } }
    await prisma.fundraiser.update({
      where: { id: fundraiserId },
      data: { auctionItems },
      select: { id: true },
    })
    await prisma.auctionItem.update({ where: { id }, data: { lot: picks.freePlace(fundraiserId) }, select })
    return { written: labelled(tag, joined) }
  },
  async ({ picks, prisma, tag }) => {
    const where = { id: { in: picks.lots(2).map(({ id }) => id) } }
    const { count } = await prisma.auctionItem.updateMany({ where, data: { label: tag } })
    const deleted = await prisma.auctionItem.findMany({ where: { label: tag }, select })
    await prisma.auctionItem.deleteMany({ where: { label: tag } })
    return { written: count, deleted: deleted.map(({ id }) => id) }
  },
]
