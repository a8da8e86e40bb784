import type { Trip } from './trip.ts'

/**
 * `untuned` and `tuned` make one message of all trips, as in the published text: the first as its reader begins, the
 * second as an expert of the library goes on. `rows` makes one message of each trip, as a cache does, tuned.
 */
export type Way = 'untuned' | 'tuned' | 'rows'

export type Message = Uint8Array

/** Trips to bytes and back. What `decode` gives has the same keys and values as the trips, whatever its class. */
export interface Serializer {
  /** The messages hold until the next call: who tunes reuses the buffer. */
  encode(trips: readonly Trip[]): readonly Message[]
  decode(messages: readonly Message[]): readonly Trip[]
}

/** One library. Serializers are made in the process that measures them. */
export interface Format {
  readonly name: string
  readonly create: Readonly<Partial<Record<Way, () => Serializer>>>
  /** What has been done to tune it, and what to know before comparing. */
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
  /** The message holds for as long as it is kept. */
  encode(trip: Trip): Message
  decode(message: Message): Trip
}

/** Each trip is a message. */
export const asRows = ({ encode, decode }: RowSerializer): Serializer => ({
  encode: (trips) => trips.map((trip) => encode(trip)),
  decode: (messages) => messages.map((message) => decode(message)),
})

/** Room for the message of all trips, in whatever format: 100,000 take 37 MB as JSON. */
export const ROOM_FOR_LIST = 64 * 1024 * 1024
/** Room for one. */
export const ROOM_FOR_ROW = 4 * 1024
