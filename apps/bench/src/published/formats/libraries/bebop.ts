import { BebopView } from 'bebop'
import { asList, asRows, ROOM_FOR_LIST, ROOM_FOR_ROW, type Format } from '../format.ts'
import type { Trip } from '../trip.ts'
import { encodeInto, readFrom, type BebopTrip } from './bebop-trip.ts'
import { codeOfMember, codeOfRideable, memberOf, rideableOf } from './wire-trip.ts'
import { WireView } from './wire-view.ts'

/** One per process. */
const view = BebopView.getInstance()

const toBebop = (trip: Trip): BebopTrip => ({
  rideId: trip.rideId,
  rideableType: codeOfRideable(trip.rideableType),
  startedAt: trip.startedAt,
  endedAt: trip.endedAt,
  startStationName: trip.startStationName ?? undefined,
  startStationId: trip.startStationId ?? undefined,
  endStationName: trip.endStationName ?? undefined,
  endStationId: trip.endStationId ?? undefined,
  startLat: trip.startLat ?? undefined,
  startLng: trip.startLng ?? undefined,
  endLat: trip.endLat ?? undefined,
  endLng: trip.endLng ?? undefined,
  memberCasual: codeOfMember(trip.memberCasual),
})

const fromBebop = (trip: BebopTrip): Trip => ({
  rideId: trip.rideId!,
  rideableType: rideableOf(trip.rideableType!),
  startedAt: trip.startedAt!,
  endedAt: trip.endedAt!,
  startStationName: trip.startStationName ?? null,
  startStationId: trip.startStationId ?? null,
  endStationName: trip.endStationName ?? null,
  endStationId: trip.endStationId ?? null,
  startLat: trip.startLat ?? null,
  startLng: trip.startLng ?? null,
  endLat: trip.endLat ?? null,
  endLng: trip.endLng ?? null,
  memberCasual: memberOf(trip.memberCasual!),
})

/** Shorter text is decoded letter by letter. The default of 300 is above all texts of trips. */
const TEXT_DECODER_FROM = 12

/** The view takes no buffer to write to, but writes into one that it was given to read. */
function startWritingInto(room: Uint8Array): void {
  view.startReading(room)
  view.length = 0
}

function readList<T>(bytes: Uint8Array, read: (view: BebopView) => T): T[] {
  view.startReading(bytes)
  return Array.from({ length: view.readUint32() }, () => read(view))
}

export const bebopFormat: Format = {
  name: 'bebop',
  create: {
    untuned: () =>
      asList({
        encode: (trips) => {
          const messages = trips.map(toBebop)
          view.startWriting()
          view.writeUint32(messages.length)
          for (const message of messages) encodeInto(message, view)
          return view.toArray()
        },
        decode: (bytes) => readList(bytes, readFrom).map(fromBebop),
      }),
    tuned: () => {
      const shown = new WireView()
      const room = new Uint8Array(ROOM_FOR_LIST)
      view.minimumTextDecoderLength = TEXT_DECODER_FROM
      return asList({
        encode: (trips) => {
          startWritingInto(room)
          view.writeUint32(trips.length)
          for (const trip of trips) encodeInto(shown.over(trip), view)
          return view.toArray()
        },
        decode: (bytes) => readList(bytes, () => fromBebop(readFrom(view))),
      })
    },
    rows: () => {
      const shown = new WireView()
      const room = new Uint8Array(ROOM_FOR_ROW)
      view.minimumTextDecoderLength = TEXT_DECODER_FROM
      return asRows({
        encode: (trip) => {
          startWritingInto(room)
          encodeInto(shown.over(trip), view)
          return Buffer.from(view.toArray())
        },
        decode: (bytes) => {
          view.startReading(bytes)
          return fromBebop(readFrom(view))
        },
      })
    },
  },
  note:
    'code written by hand in the manner of its compiler; tuned: one view with getters over each trip in turn, a buffer of ' +
    'ours, and TextDecoder for texts of 12 bytes and more; its dates pass through a bigint',
}
