import type { FeatureFlags, Prisma } from '#prisma/client/client.js'
import type { Random } from './random.js'
import { sentence } from './text.js'
import { CREATED } from './times.js'

/** The id of the only row. */
export const FEATURE_FLAGS_ID = 'default'

const FLAGS = 272

/** About 100 kB as JSON: flags with their roll-out rules. */
export function buildFeatureFlags(random: Random): FeatureFlags {
  const flags: Prisma.JsonObject = {}
  for (let index = 1; index <= FLAGS; index++) {
    const area = random.pick(['bidding', 'checkout', 'giving', 'tables', 'mail'])
    flags[`${area}.flag-${index}`] = {
      enabled: random.chance(0.5),
      description: sentence(random),
      owner: `team-${area}`,
      rollout: {
        percent: random.integer(0, 100),
        countries: ['IE', 'GB', 'PL'],
        staffOnly: random.chance(0.1),
      },
      variants: [
        { name: 'control', weight: 50 },
        { name: 'treatment', weight: 50, payload: { limit: random.integer(1, 500) } },
      ],
      changedAt: random.date(new Date('2024-01-01'), CREATED).toISOString(),
    }
  }
  return { id: FEATURE_FLAGS_ID, revision: FLAGS, flags, updatedAt: CREATED }
}
