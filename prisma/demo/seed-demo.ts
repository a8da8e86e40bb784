import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { createMissing } from '../create-missing.js'
import type { Database } from '../database.js'
import { buildDemoRows } from './demo-rows.js'

/** More than Prisma allows, for machines that are slow or busy. */
const timeout = 60_000

/** Writes the rows of the demo in one transaction. Existing rows stay as they are. */
export async function seedDemo(prisma: PrismaClient, kind: Database['kind'] = 'postgres'): Promise<void> {
  const rows = buildDemoRows()
  await prisma.$transaction(
    async (tx) => {
      await createMissing(tx.fundraiser, rows.fundraisers.map(jsonInput), kind)
      await createMissing(tx.user, rows.users, kind)
      await createMissing(tx.guestUser, rows.guestUsers, kind)
      await createMissing(tx.item, rows.items, kind)
      await createMissing(tx.auctionItem, rows.auctionItems.map(jsonInput), kind)
      await createMissing(tx.auctionBid, rows.auctionBids, kind)
      await createMissing(tx.givingLevel, rows.givingLevels, kind)
      await createMissing(tx.sponsorBundle, rows.sponsorBundles, kind)
      await createMissing(tx.sponsor, rows.sponsors, kind)
      await createMissing(tx.paddleTipConfig, rows.paddleTipConfigs, kind)
      await createMissing(tx.featureFlags, rows.featureFlags.map(jsonInput), kind)
    },
    { timeout, maxWait: timeout },
  )
}

type JsonInput<Row> = {
  [Key in keyof Row]: Prisma.JsonValue extends Row[Key] ? Prisma.InputJsonValue : Row[Key]
}

/** Narrows Json columns for writing: Prisma returns `null` in their type, but these are never null. */
function jsonInput<Row>(row: Row): JsonInput<Row> {
  return row as JsonInput<Row>
}
