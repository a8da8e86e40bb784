import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { buildDemoRows } from './demo-rows.js'

/** More than Prisma allows, for machines that are slow or busy. */
const timeout = 60_000

/** Writes the rows of the demo in one transaction. Existing rows stay as they are. */
export async function seedDemo(prisma: PrismaClient): Promise<void> {
  const rows = buildDemoRows()
  const skipDuplicates = true
  await prisma.$transaction(
    async (tx) => {
      await tx.fundraiser.createMany({ data: rows.fundraisers.map(jsonInput), skipDuplicates })
      await tx.user.createMany({ data: rows.users, skipDuplicates })
      await tx.guestUser.createMany({ data: rows.guestUsers, skipDuplicates })
      await tx.item.createMany({ data: rows.items, skipDuplicates })
      await tx.auctionItem.createMany({ data: rows.auctionItems.map(jsonInput), skipDuplicates })
      await tx.auctionBid.createMany({ data: rows.auctionBids, skipDuplicates })
      await tx.givingLevel.createMany({ data: rows.givingLevels, skipDuplicates })
      await tx.sponsorBundle.createMany({ data: rows.sponsorBundles, skipDuplicates })
      await tx.sponsor.createMany({ data: rows.sponsors, skipDuplicates })
      await tx.paddleTipConfig.createMany({ data: rows.paddleTipConfigs, skipDuplicates })
      await tx.featureFlags.createMany({ data: rows.featureFlags.map(jsonInput), skipDuplicates })
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
