import { createRandom, type Random } from '#prisma/demo/random.js'

/** One ride on a shared bike, with the columns of New York's Citi Bike, as a row comes from a database. */
export interface Trip {
  rideId: string
  rideableType: 'classic_bike' | 'electric_bike'
  startedAt: Date
  endedAt: Date
  startStationName: string | null
  startStationId: string | null
  endStationName: string | null
  endStationId: string | null
  startLat: number | null
  startLng: number | null
  endLat: number | null
  endLng: number | null
  memberCasual: 'member' | 'casual'
}

/** A column of a trip. Its number in compiled schemas is its place, from 1 on. */
export interface Field {
  readonly name: keyof Trip
  readonly kind: 'text' | 'time' | 'number' | 'enum'
  readonly optional?: true
  /** Of an enum. */
  readonly values?: readonly [string, string]
  /** Never needs an escape in JSON. */
  readonly plain?: true
}

const named = (names: string, field: Omit<Field, 'name'>): Field[] =>
  names.split(' ').map((name) => ({ name: name as keyof Trip, ...field }))

export const FIELDS: readonly Field[] = [
  ...named('rideId', { kind: 'text', plain: true }),
  ...named('rideableType', { kind: 'enum', values: ['classic_bike', 'electric_bike'], plain: true }),
  ...named('startedAt endedAt', { kind: 'time' }),
  ...['start', 'end'].flatMap((at) => [
    ...named(`${at}StationName`, { kind: 'text', optional: true }),
    ...named(`${at}StationId`, { kind: 'text', optional: true, plain: true }),
  ]),
  ...named('startLat startLng endLat endLng', { kind: 'number', optional: true }),
  ...named('memberCasual', { kind: 'enum', values: ['member', 'casual'], plain: true }),
]

export const isTime = ({ kind }: Field): boolean => kind === 'time'

const FIRST_START = Date.UTC(2025, 4, 1)
const MONTH_MS = 31 * 86_400_000

/** The same trips in each process. Some begin or end without a station. */
export function buildTrips(count: number): Trip[] {
  const random = createRandom('model-cache bench trips')
  const stations = inventStations(random)
  return Array.from({ length: count }, () => buildTrip(random, stations))
}

function buildTrip(random: Random, stations: readonly Station[]): Trip {
  const start = random.chance(0.005) ? null : random.pick(stations)
  const end = random.chance(0.01) ? null : random.pick(stations)
  const isElectric = random.chance(0.68)
  const hasStart = start !== null || random.chance(0.8)
  const hasEnd = end !== null || random.chance(0.5)
  const startedAt = FIRST_START + random.integer(0, MONTH_MS)
  return {
    rideId: ownCopy(hex(random) + hex(random)),
    rideableType: isElectric ? 'electric_bike' : 'classic_bike',
    startedAt: new Date(startedAt),
    endedAt: new Date(startedAt + random.integer(61_000, 5_400_000)),
    startStationName: start && ownCopy(start.name),
    startStationId: start && ownCopy(start.id),
    endStationName: end && ownCopy(end.name),
    endStationId: end && ownCopy(end.id),
    // Electric bikes report their own position, others that of the dock.
    startLat: hasStart ? (start?.lat ?? 40.7) + (isElectric ? random.next() / 1e4 : 0) : null,
    startLng: hasStart ? (start?.lng ?? -74) + (isElectric ? random.next() / 1e4 : 0) : null,
    endLat: hasEnd ? (end?.lat ?? 40.7) : null,
    endLng: hasEnd ? (end?.lng ?? -74) : null,
    memberCasual: random.chance(0.8) ? 'member' : 'casual',
  }
}

/** Eight capital digits. */
const hex = (random: Random): string =>
  random
    .integer(0, 2 ** 32 - 1)
    .toString(16)
    .toUpperCase()
    .padStart(8, '0')

/** As a driver returns text: in one piece, and not the same object in several rows. */
const ownCopy = (text: string): string => Buffer.from(text).toString('latin1')

interface Station {
  readonly id: string
  readonly name: string
  readonly lat: number
  readonly lng: number
}

/** As many as a large city has. */
const STATIONS = 2_200
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
function inventStations(random: Random): Station[] {
  const street = (): string =>
    random.chance(0.3)
      ? random.pick(SMALL_STREETS)
      : `${random.pick(['W', 'E', 'N', 'S'])} ${random.integer(2, 215)} St`
  const avenue = (): string => (random.chance(0.5) ? random.pick(AVENUES) : `${random.integer(1, 12)} Ave`)
  // Eight decimals, as most stations have.
  const rounded = (degrees: number): number => Math.round(degrees * 1e8) / 1e8
  return Array.from({ length: STATIONS }, () => ({
    id: `${random.integer(2_800, 8_900)}.${String(random.integer(1, 12)).padStart(2, '0')}`,
    name: `${street()} & ${avenue()}`,
    lat: rounded(40.63 + random.next() * 0.25),
    lng: rounded(-74.03 + random.next() * 0.2),
  }))
}
