import type { Trip } from './trip.ts'

export type Message = Uint8Array

/** What is encoded to bytes and back: all trips, or one. `decode` returns the same keys and values, of any class. */
export interface Serializer<Value> {
  encode(value: Value): Message
  decode(message: Message): Value
}
export type ListSerializer = Serializer<readonly Trip[]>

/** One library. Serializers are created in the process that measures them. */
export interface Format {
  readonly name: string
  /** How it is tuned, and what to know before comparing. */
  readonly note: string
  /** One message of all trips, as in the publication: the API as its documentation begins. */
  untuned?(): ListSerializer
  /** The same as an expert of the library uses it. Its messages are valid until the next call: it reuses its buffer. */
  tuned?(): ListSerializer
  /** A message per trip, as a cache has, tuned. Its messages stay valid. */
  rows(): Serializer<Trip>
}

export const WAYS = ['untuned', 'tuned', 'rows'] as const
export type Way = (typeof WAYS)[number]

/** Room for all trips in any format: 100,000 take 37 MB as JSON. */
export const ROOM_FOR_LIST = 64 * 1024 * 1024
/** Room for one trip. */
export const ROOM_FOR_ROW = 4 * 1024

/** A trip whose times are something else. */
export type MappedTrip<Time> = Omit<Trip, 'startedAt' | 'endedAt'> & { startedAt: Time; endedAt: Time }

/** A new object for each trip. */
export const withTimes = <From, To>(trip: MappedTrip<From>, map: (time: From) => To): MappedTrip<To> => ({
  ...trip,
  startedAt: map(trip.startedAt),
  endedAt: map(trip.endedAt),
})
export const withMs = (trip: Trip): MappedTrip<number> => withTimes(trip, (time) => time.getTime())
export const withDates = (trip: MappedTrip<number>): Trip => withTimes(trip, (ms) => new Date(ms))
