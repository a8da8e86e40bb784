import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { buildDemoRows } from './demo-rows.js'

/** Writes the rows of the demo in one transaction. Existing rows stay as they are. */
export async function seedDemo(prisma: PrismaClient): Promise<void> {
  const rows = buildDemoRows()
  const skipDuplicates = true
  await prisma.$transaction([
    prisma.fundraiser.createMany({ data: rows.fundraisers.map(jsonInput), skipDuplicates }),
    prisma.user.createMany({ data: rows.users, skipDuplicates }),
    prisma.guestUser.createMany({ data: rows.guestUsers, skipDuplicates }),
    prisma.item.createMany({ data: rows.items, skipDuplicates }),
    prisma.auctionItem.createMany({ data: rows.auctionItems.map(jsonInput), skipDuplicates }),
    prisma.auctionBid.createMany({ data: rows.auctionBids, skipDuplicates }),
    prisma.givingLevel.createMany({ data: rows.givingLevels, skipDuplicates }),
    prisma.sponsorBundle.createMany({ data: rows.sponsorBundles, skipDuplicates }),
    prisma.sponsor.createMany({ data: rows.sponsors, skipDuplicates }),
    prisma.paddleTipConfig.createMany({ data: rows.paddleTipConfigs, skipDuplicates }),
    prisma.featureFlags.createMany({ data: rows.featureFlags.map(jsonInput), skipDuplicates }),
  ])
}

type JsonInput<Row> = {
  [Key in keyof Row]: Prisma.JsonValue extends Row[Key] ? Prisma.InputJsonValue : Row[Key]
}

/** Narrows Json columns for writing: Prisma returns `null` in their type, but these are never null. */
function jsonInput<Row>(row: Row): JsonInput<Row> {
  return row as JsonInput<Row>
}
