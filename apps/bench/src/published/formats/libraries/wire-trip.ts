import type { MemberKind, RideableType, Trip } from '../trip.ts'

/** A trip for compiled schemas: numbers for times and enums, undefined for null. */
export interface WireTrip {
  rideId: string
  rideableType: number
  startedAtMs: number
  endedAtMs: number
  startStationName: string | undefined
  startStationId: string | undefined
  endStationName: string | undefined
  endStationId: string | undefined
  startLat: number | undefined
  startLng: number | undefined
  endLat: number | undefined
  endLng: number | undefined
  memberCasual: number
}

/** By number; 0 is "unknown" by convention. */
const RIDEABLE_TYPES: readonly (RideableType | undefined)[] = [undefined, 'classic_bike', 'electric_bike']
const MEMBER_KINDS: readonly (MemberKind | undefined)[] = [undefined, 'member', 'casual']

export const codeOfRideable = (rideable: RideableType): number => (rideable === 'classic_bike' ? 1 : 2)
export const codeOfMember = (member: MemberKind): number => (member === 'member' ? 1 : 2)
export const rideableOf = (code: number): RideableType => RIDEABLE_TYPES[code]!
export const memberOf = (code: number): MemberKind => MEMBER_KINDS[code]!

/** A new object for each trip, as in untuned code. */
export const toWire = (trip: Trip): WireTrip => writeWire(trip, {} as WireTrip)

/** Into an existing object, for libraries that read only own properties. */
export function writeWire(trip: Trip, wire: WireTrip): WireTrip {
  wire.rideId = trip.rideId
  wire.rideableType = codeOfRideable(trip.rideableType)
  wire.startedAtMs = trip.startedAt.getTime()
  wire.endedAtMs = trip.endedAt.getTime()
  wire.startStationName = trip.startStationName ?? undefined
  wire.startStationId = trip.startStationId ?? undefined
  wire.endStationName = trip.endStationName ?? undefined
  wire.endStationId = trip.endStationId ?? undefined
  wire.startLat = trip.startLat ?? undefined
  wire.startLng = trip.startLng ?? undefined
  wire.endLat = trip.endLat ?? undefined
  wire.endLng = trip.endLng ?? undefined
  wire.memberCasual = codeOfMember(trip.memberCasual)
  return wire
}
