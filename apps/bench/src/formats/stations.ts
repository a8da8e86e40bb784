import type { Random } from '#prisma/demo/random.js'

export interface Station {
  readonly id: string
  readonly name: string
  readonly lat: number
  readonly lng: number
}

/** As many as a large city has. */
const STATIONS = 2_200
const DIRECTIONS = ['W', 'E', 'N', 'S']
const AVENUES = [
  'Broadway',
  'Park Ave',
  'Amsterdam Ave',
  'St Nicholas Ave',
  'Central Park West',
  'Bedford Ave',
]
const SMALL_STREETS = ['Clinton St', 'Forsyth St', 'Hudson St', 'Greenwich Ave', 'Myrtle Ave', 'Van Brunt St']

/** Names and ids in the manner of the published data: "W 21 St & 6 Ave", "6140.05". */
export function inventStations(random: Random): Station[] {
  return Array.from({ length: STATIONS }, () => ({
    id: `${random.integer(2_800, 8_900)}.${String(random.integer(1, 12)).padStart(2, '0')}`,
    name: `${street(random)} & ${avenue(random)}`,
    lat: rounded(40.63 + random.next() * 0.25),
    lng: rounded(-74.03 + random.next() * 0.2),
  }))
}

const street = (random: Random): string =>
  random.chance(0.3) ? random.pick(SMALL_STREETS) : `${random.pick(DIRECTIONS)} ${random.integer(2, 215)} St`

const avenue = (random: Random): string =>
  random.chance(0.5) ? random.pick(AVENUES) : `${random.integer(1, 12)} Ave`

/** Eight decimals, as most stations have. */
const rounded = (degrees: number): number => Math.round(degrees * 1e8) / 1e8
