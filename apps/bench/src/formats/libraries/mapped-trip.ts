import type { Trip } from '../trip.ts'

/** A trip as an object that a format without dates takes. */
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
