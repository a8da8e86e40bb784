import { BebopView } from 'bebop'
import { ROOM_FOR_LIST, ROOM_FOR_ROW, type Format } from '../format.ts'
import { FIELDS, type Field, type Trip } from '../trip.ts'
import { enumOf, generate, lines, objectOf, wireValue, WireTripView } from '../wire.ts'

/** A bebop message. Its code is in the manner of what bebop's compiler generates for `message Trip { 1 -> string rideId; … }`. */
type BebopTrip = Readonly<Record<string, unknown>>

/** One per process. */
const view = BebopView.getInstance()

const TYPES = { text: 'String', enum: 'Byte', time: 'Date', number: 'Float64' } as const
const typeOf = ({ kind }: Field) => TYPES[kind]

const toBebop = generate<(trip: Trip) => BebopTrip>(`(trip) => ${objectOf((field) => wireValue(field))}`)

const fromBebop = generate<(trip: BebopTrip) => Trip>(
  `(trip) => ${objectOf((field) => {
    const code = `trip.${field.name}`
    if (field.kind === 'enum') return enumOf(field, code)
    return field.optional ? `${code} ?? null` : code
  })}`,
)

const writer = (type: string): string => `function write${type}(field, value, view) {
  if (value === undefined) return
  view.writeByte(field)
  view.write${type}(value)
}`

/** Writes the length, each field that is set behind its number, and a zero. */
const encodeInto = generate<(trip: BebopTrip, view: BebopView) => void>(`(() => {
  ${[...new Set(FIELDS.map(typeOf))].map(writer).join('\n')}
  return (trip, view) => {
    const at = view.reserveMessageLength()
    const start = view.length
    ${lines((field, number) => `write${typeOf(field)}(${number}, trip.${field.name}, view)`)}
    view.writeByte(0)
    view.fillMessageLength(at, view.length - start)
  }
})()`)

const readFrom = generate<(view: BebopView) => BebopTrip>(`(view) => {
  const trip = {}
  const length = view.readMessageLength()
  const end = view.index + length
  for (;;) {
    switch (view.readByte()) {
      case 0:
        return trip
      ${lines((field, number) => `case ${number}:\ntrip.${field.name} = view.read${typeOf(field)}()\nbreak`)}
      default:
        // A field of a newer schema: its length is not known.
        view.index = end
        return trip
    }
  }
}`)

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
  note:
    'code written by hand in the manner of its compiler; tuned: one view with getters over each trip in turn, a buffer of ' +
    'ours, and TextDecoder for texts of 12 bytes and more; its dates pass through a bigint',
  untuned: () => ({
    encode(trips) {
      const messages = trips.map(toBebop)
      view.startWriting()
      view.writeUint32(messages.length)
      for (const message of messages) encodeInto(message, view)
      return view.toArray()
    },
    decode: (bytes) => readList(bytes, readFrom).map(fromBebop),
  }),
  tuned() {
    const shown = new WireTripView()
    const room = new Uint8Array(ROOM_FOR_LIST)
    view.minimumTextDecoderLength = TEXT_DECODER_FROM
    return {
      encode(trips) {
        startWritingInto(room)
        view.writeUint32(trips.length)
        for (const trip of trips) encodeInto(shown.over(trip), view)
        return view.toArray()
      },
      decode: (bytes) => readList(bytes, () => fromBebop(readFrom(view))),
    }
  },
  rows() {
    const shown = new WireTripView()
    const room = new Uint8Array(ROOM_FOR_ROW)
    view.minimumTextDecoderLength = TEXT_DECODER_FROM
    return {
      encode(trip) {
        startWritingInto(room)
        encodeInto(shown.over(trip), view)
        return Buffer.from(view.toArray())
      },
      decode(bytes) {
        view.startReading(bytes)
        return fromBebop(readFrom(view))
      },
    }
  },
}
