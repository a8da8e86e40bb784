import { Prisma } from '#prisma/client/client.js'
import type { GivingLevel, PaddleTipConfig, Sponsor, SponsorBundle } from '#prisma/client/client.js'
import type { Random } from './random.js'
import { prose, sentence } from './text.js'
import { AUCTION_CLOSES, AUCTION_OPENED, CREATED } from './times.js'

export function buildGivingLevel(random: Random, index: number, fundraiserId: string): GivingLevel {
  const amount = new Prisma.Decimal(['25', '75.50', '250', '1000', '5000'][index % 5]!)
  return {
    id: random.uuid(),
    fundraiserId,
    name: ['Friend', 'Supporter', 'Patron', 'Benefactor', 'Founder'][index % 5]!,
    description: prose(random, 260),
    amount,
    matchedAmount: index % 2 === 0 ? amount.times(2) : null,
    sortOrder: index + 1,
    badge: index > 2 ? 'gold' : null,
    imageUrl: `https://images.example.org/demo/giving-${index + 1}.png`,
    benefits: Array.from({ length: index + 1 }, () => sentence(random)),
    quantityLimit: index === 4 ? 10 : null,
    quantityClaimed: index === 4 ? 3 : 0,
    active: true,
    startsAt: AUCTION_OPENED,
    endsAt: AUCTION_CLOSES,
    createdAt: CREATED,
    updatedAt: CREATED,
  }
}

export function buildSponsorBundle(random: Random, index: number, fundraiserId: string): SponsorBundle {
  return {
    id: random.uuid(),
    fundraiserId,
    name: ['Gold table', 'Silver table'][index % 2]!,
    tier: ['gold', 'silver'][index % 2]!,
    description: prose(random, 600),
    price: new Prisma.Decimal(index === 0 ? 10_000 : 5000),
    taxValue: new Prisma.Decimal(index === 0 ? '1249.99' : '625.5'),
    seats: 10,
    benefits: Array.from({ length: 5 }, () => sentence(random)),
    sortOrder: index + 1,
    publishedAt: AUCTION_OPENED,
    createdAt: CREATED,
    updatedAt: CREATED,
  }
}

export function buildSponsor(random: Random, index: number, bundle: SponsorBundle): Sponsor {
  const pledgedAt = random.date(CREATED, AUCTION_OPENED)
  return {
    id: random.uuid(),
    bundleId: bundle.id,
    name: `${random.pick(['Nowak', 'Byrne', 'Haddad', 'Rossi'])} ${random.pick(['& Partners', 'Foundation', 'Group'])}`,
    websiteUrl: random.chance(0.8) ? 'https://www.example.org' : null,
    logoUrl: `https://images.example.org/demo/sponsor-${bundle.tier}-${index + 1}.svg`,
    tagline: random.chance(0.5) ? sentence(random) : null,
    pledged: bundle.price.div(random.pick([1, 2, 4])),
    pledgedAt,
    paidAt: random.chance(0.7) ? AUCTION_OPENED : null,
    sortOrder: index + 1,
  }
}

export function buildPaddleTipConfig(random: Random, fundraiserId: string): PaddleTipConfig {
  return {
    id: random.uuid(),
    fundraiserId,
    enabled: true,
    headline: 'Add a tip so that every cent of your gift arrives',
    explanation: prose(random, 200),
    suggestedPercentages: [5, 10, 15],
    defaultPercentage: new Prisma.Decimal('7.5'),
    minimumAmount: new Prisma.Decimal('1'),
    maximumAmount: new Prisma.Decimal('500'),
    coverFeesByDefault: true,
    roundUp: false,
    createdAt: CREATED,
    updatedAt: CREATED,
  }
}
