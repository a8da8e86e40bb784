import type { Trip } from './trip.ts'

/**
 * `untuned` and `tuned` make one message of all trips, as in the publication: the API as its documentation begins, and as
 * an expert of the library uses it. `rows` makes one message per trip, as a cache does, tuned.
 */
export type Way = 'untuned' | 'tuned' | 'rows'

export type Message = Uint8Array

/** Trips to bytes and back. `decode` returns the same keys and values, of any class. */
export interface Serializer {
  /** The messages are valid until the next call: a tuned serializer reuses its buffer. */
  encode(trips: readonly Trip[]): readonly Message[]
  decode(messages: readonly Message[]): readonly Trip[]
}

/** One library. Serializers are created in the process that measures them. */
export interface Format {
  readonly name: string
  readonly create: Readonly<Partial<Record<Way, () => Serializer>>>
  /** How it is tuned, and what to know before comparing. */
  readonly note: string
}

export interface ListSerializer {
  encode(trips: readonly Trip[]): Message
  decode(message: Message): readonly Trip[]
}

/** All trips are one message. */
export const asList = ({ encode, decode }: ListSerializer): Serializer => ({
  encode: (trips) => [encode(trips)],
  decode: ([message]) => decode(message!),
})

export interface RowSerializer {
  /** The message stays valid. */
  encode(trip: Trip): Message
  decode(message: Message): Trip
}

/** Each trip is a message. */
export const asRows = ({ encode, decode }: RowSerializer): Serializer => ({
  encode: (trips) => trips.map((trip) => encode(trip)),
  decode: (messages) => messages.map((message) => decode(message)),
})

/** Room for all trips in any format: 100,000 take 37 MB as JSON. */
export const ROOM_FOR_LIST = 64 * 1024 * 1024
/** Room for one trip. */
export const ROOM_FOR_ROW = 4 * 1024

/** To bytes that are ready for a socket. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8')

export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** A trip as an object for formats without dates. */
export type MappedTrip = Omit<Trip, 'startedAt' | 'endedAt'> & { startedAt: number; endedAt: number }

export const remap = (trip: Trip): MappedTrip => ({
  ...trip,
  startedAt: trip.startedAt.getTime(),
  endedAt: trip.endedAt.getTime(),
})

export const mapBack = (trip: MappedTrip): Trip => ({
  ...trip,
  startedAt: new Date(trip.startedAt),
  endedAt: new Date(trip.endedAt),
})
