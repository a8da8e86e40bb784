import type { Trip } from '../trip.ts'
import { codeOfMember, codeOfRideable, type WireTrip } from './wire-trip.ts'

/** Shows a trip as a {@link WireTrip}, without an object for each trip. */
export class WireView implements Readonly<WireTrip> {
  trip!: Trip

  /** This view, over another trip. */
  over(trip: Trip): this {
    this.trip = trip
    return this
  }

  get rideId(): string {
    return this.trip.rideId
  }
  get rideableType(): number {
    return codeOfRideable(this.trip.rideableType)
  }
  get startedAt(): Date {
    return this.trip.startedAt
  }
  get startedAtMs(): number {
    return this.trip.startedAt.getTime()
  }
  get endedAt(): Date {
    return this.trip.endedAt
  }
  get endedAtMs(): number {
    return this.trip.endedAt.getTime()
  }
  get startStationName(): string | undefined {
    return this.trip.startStationName ?? undefined
  }
  get startStationId(): string | undefined {
    return this.trip.startStationId ?? undefined
  }
  get endStationName(): string | undefined {
    return this.trip.endStationName ?? undefined
  }
  get endStationId(): string | undefined {
    return this.trip.endStationId ?? undefined
  }
  get startLat(): number | undefined {
    return this.trip.startLat ?? undefined
  }
  get startLng(): number | undefined {
    return this.trip.startLng ?? undefined
  }
  get endLat(): number | undefined {
    return this.trip.endLat ?? undefined
  }
  get endLng(): number | undefined {
    return this.trip.endLng ?? undefined
  }
  get memberCasual(): number {
    return codeOfMember(this.trip.memberCasual)
  }
}
