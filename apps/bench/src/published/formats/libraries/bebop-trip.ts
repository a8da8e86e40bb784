import type { BebopView } from 'bebop'

/**
 * A bebop message, written by hand in the manner of what bebop's compiler generates for
 * `message Trip { 1 -> string rideId; 2 -> byte rideableType; 3 -> date startedAt; … }`.
 */
export interface BebopTrip {
  rideId?: string | undefined
  rideableType?: number | undefined
  startedAt?: Date | undefined
  endedAt?: Date | undefined
  startStationName?: string | undefined
  startStationId?: string | undefined
  endStationName?: string | undefined
  endStationId?: string | undefined
  startLat?: number | undefined
  startLng?: number | undefined
  endLat?: number | undefined
  endLng?: number | undefined
  memberCasual?: number | undefined
}

/** Writes the length, each field that is set behind its number, and a zero. */
export function encodeInto(trip: Readonly<BebopTrip>, view: BebopView): void {
  const at = view.reserveMessageLength()
  const start = view.length
  writeString(1, trip.rideId, view)
  writeByte(2, trip.rideableType, view)
  writeDate(3, trip.startedAt, view)
  writeDate(4, trip.endedAt, view)
  writeString(5, trip.startStationName, view)
  writeString(6, trip.startStationId, view)
  writeString(7, trip.endStationName, view)
  writeString(8, trip.endStationId, view)
  writeDouble(9, trip.startLat, view)
  writeDouble(10, trip.startLng, view)
  writeDouble(11, trip.endLat, view)
  writeDouble(12, trip.endLng, view)
  writeByte(13, trip.memberCasual, view)
  view.writeByte(0)
  view.fillMessageLength(at, view.length - start)
}

function writeString(field: number, value: string | undefined, view: BebopView): void {
  if (value === undefined) return
  view.writeByte(field)
  view.writeString(value)
}

function writeByte(field: number, value: number | undefined, view: BebopView): void {
  if (value === undefined) return
  view.writeByte(field)
  view.writeByte(value)
}

function writeDate(field: number, value: Date | undefined, view: BebopView): void {
  if (value === undefined) return
  view.writeByte(field)
  view.writeDate(value)
}

function writeDouble(field: number, value: number | undefined, view: BebopView): void {
  if (value === undefined) return
  view.writeByte(field)
  view.writeFloat64(value)
}

export function readFrom(view: BebopView): BebopTrip {
  const trip: BebopTrip = {}
  const length = view.readMessageLength()
  const end = view.index + length
  for (;;) {
    switch (view.readByte()) {
      case 0:
        return trip
      case 1:
        trip.rideId = view.readString()
        break
      case 2:
        trip.rideableType = view.readByte()
        break
      case 3:
        trip.startedAt = view.readDate()
        break
      case 4:
        trip.endedAt = view.readDate()
        break
      case 5:
        trip.startStationName = view.readString()
        break
      case 6:
        trip.startStationId = view.readString()
        break
      case 7:
        trip.endStationName = view.readString()
        break
      case 8:
        trip.endStationId = view.readString()
        break
      case 9:
        trip.startLat = view.readFloat64()
        break
      case 10:
        trip.startLng = view.readFloat64()
        break
      case 11:
        trip.endLat = view.readFloat64()
        break
      case 12:
        trip.endLng = view.readFloat64()
        break
      case 13:
        trip.memberCasual = view.readByte()
        break
      default:
        // A field of a newer schema: its length is not known.
        view.index = end
        return trip
    }
  }
}
