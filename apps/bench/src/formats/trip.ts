import { createRandom, type Random } from '#prisma/demo/random.js'
import { inventStations, type Station } from './stations.ts'

export type RideableType = 'classic_bike' | 'electric_bike'
export type MemberKind = 'member' | 'casual'

/** One ride on a shared bike, with the columns of New York's Citi Bike; as a row comes from a database: dates are Dates. */
export interface Trip {
  rideId: string
  rideableType: RideableType
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
  memberCasual: MemberKind
}

const FIRST_START = Date.UTC(2025, 4, 1)
const MONTH_MS = 31 * 86_400_000

/** The same trips in each run and each process. A bike can be left, and at times found, where there is no station. */
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
    // Electric bikes say themselves where they are, the others are where the dock is.
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

/** As a driver hands text over: in one piece, and not the same object in several rows. */
const ownCopy = (text: string): string => Buffer.from(text).toString('latin1')
