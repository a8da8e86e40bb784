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
  ...named('startStationName', { kind: 'text', optional: true }),
  ...named('startStationId', { kind: 'text', optional: true, plain: true }),
  ...named('endStationName', { kind: 'text', optional: true }),
  ...named('endStationId', { kind: 'text', optional: true, plain: true }),
  ...named('startLat startLng endLat endLng', { kind: 'number', optional: true }),
  ...named('memberCasual', { kind: 'enum', values: ['member', 'casual'], plain: true }),
]

export const isTime = ({ kind }: Field): boolean => kind === 'time'

/** The same trips in each process. */
export function buildTrips(count: number): Trip[] {
  const random = createRandom('model-cache bench trips')
  const stations = Array.from({ length: STATIONS }, () => inventStation(random))
  return Array.from({ length: count }, () => buildTrip(random, stations))
}

function buildTrip(random: Random, stations: readonly Station[]): Trip {
  const isElectric = random.chance(0.68)
  const startedAt = Date.UTC(2025, 4, 1) + random.integer(0, 31 * 86_400_000)
  // Electric bikes report their own position, others that of the dock.
  const start = placeOf(random, stations, 0.005, 0.8, isElectric ? 1e-4 : 0)
  const end = placeOf(random, stations, 0.01, 0.5, 0)
  return {
    rideId: ownCopy(random.uuid().replaceAll('-', '').slice(0, 16).toUpperCase()),
    rideableType: isElectric ? 'electric_bike' : 'classic_bike',
    startedAt: new Date(startedAt),
    endedAt: new Date(startedAt + random.integer(61_000, 5_400_000)),
    startStationName: start.name,
    startStationId: start.id,
    endStationName: end.name,
    endStationId: end.id,
    startLat: start.lat,
    startLng: start.lng,
    endLat: end.lat,
    endLng: end.lng,
    memberCasual: random.chance(0.8) ? 'member' : 'casual',
  }
}

/** @param undocked part of the trips without a station, of which `known` have a position */
function placeOf(
  random: Random,
  stations: readonly Station[],
  undocked: number,
  known: number,
  offset: number,
) {
  const dock = random.chance(undocked) ? null : random.pick(stations)
  if (!dock && !random.chance(known)) return { name: null, id: null, lat: null, lng: null }
  return {
    name: dock && ownCopy(dock.name),
    id: dock && ownCopy(dock.id),
    lat: (dock?.lat ?? 40.7) + random.next() * offset,
    lng: (dock?.lng ?? -74) + random.next() * offset,
  }
}

/** As a driver returns text: in one piece, and not the same object in several rows. */
const ownCopy = (text: string): string => Buffer.from(text).toString('latin1')

/** As many as a large city has. */
const STATIONS = 2_200
const AVENUES = 'Broadway, Park Ave, Amsterdam Ave, St Nicholas Ave, Central Park West, Bedford Ave'.split(
  ', ',
)
const SMALL_STREETS = 'Clinton St, Forsyth St, Hudson St, Greenwich Ave, Myrtle Ave, Van Brunt St'.split(', ')

type Station = ReturnType<typeof inventStation>

/** Names and ids in the manner of the published data: "W 21 St & 6 Ave", "6140.05". */
function inventStation(random: Random) {
  const side = random.pick(['W', 'E', 'N', 'S'])
  const street = random.chance(0.3) ? random.pick(SMALL_STREETS) : `${side} ${random.integer(2, 215)} St`
  const avenue = random.chance(0.5) ? random.pick(AVENUES) : `${random.integer(1, 12)} Ave`
  // Eight decimals, as most stations have.
  const rounded = (degrees: number): number => Math.round(degrees * 1e8) / 1e8
  return {
    id: `${random.integer(2_800, 8_900)}.${String(random.integer(1, 12)).padStart(2, '0')}`,
    name: `${street} & ${avenue}`,
    lat: rounded(40.63 + random.next() * 0.25),
    lng: rounded(-74.03 + random.next() * 0.2),
  }
}
