import { Prisma } from '#prisma/client/client.js'
import type { GuestUser, User } from '#prisma/client/client.js'
import type { Random } from './random.js'
import { CITIES, FIRST_NAMES, LAST_NAMES } from './text.js'
import { AUCTION_OPENED, CREATED } from './times.js'

/** About 140 bytes as JSON. */
export function buildGuestUser(random: Random, index: number): GuestUser {
  const first = random.pick(FIRST_NAMES)
  return {
    id: random.uuid(),
    name: `${first} ${random.pick(LAST_NAMES)}`,
    email: `guest${index}@example.org`,
    createdAt: random.date(CREATED, AUCTION_OPENED),
  }
}

export function buildUser(random: Random, index: number): User {
  const firstName = random.pick(FIRST_NAMES)
  const lastName = random.pick(LAST_NAMES)
  const createdAt = random.date(CREATED, AUCTION_OPENED)
  return {
    id: random.uuid(),
    email: `bidder${index}@example.org`,
    firstName,
    lastName,
    displayName: `${firstName} ${lastName.charAt(0)}.`,
    phone: random.chance(0.6) ? `+353 1 555 ${String(index).padStart(4, '0')}` : null,
    avatarUrl: random.chance(0.5) ? `https://images.example.org/avatars/${index}.jpg` : null,
    city: random.pick([...CITIES, null]),
    country: 'IE',
    locale: random.pick(['en-IE', 'en-GB', 'pl-PL', 'fr-FR']),
    timezone: 'Europe/Dublin',
    paddleNumber: random.chance(0.8) ? 100 + index : null,
    rating: random.integer(0, 300),
    isVerified: random.chance(0.9),
    marketingOptIn: random.chance(0.4),
    lifetimeGiven: new Prisma.Decimal(random.integer(0, 2_500_000)).div(100),
    lastSeenAt: random.chance(0.7) ? random.date(AUCTION_OPENED, new Date('2025-02-01')) : null,
    createdAt,
    updatedAt: createdAt,
  }
}
