/** The Protocol Buffers schema of a trip, for both compilers. */
export interface TripField {
  readonly name: string
  readonly type: 'string' | 'int64' | 'double' | 'uint32'
  readonly tag: number
  /** A proto3 `optional`, which distinguishes missing from empty. */
  readonly optional: boolean
}

const TYPES: readonly (readonly [name: string, type: TripField['type'], optional?: 'optional'])[] = [
  ['rideId', 'string'],
  // An enum is a number on the wire as well.
  ['rideableType', 'uint32'],
  ['startedAtMs', 'int64'],
  ['endedAtMs', 'int64'],
  ['startStationName', 'string', 'optional'],
  ['startStationId', 'string', 'optional'],
  ['endStationName', 'string', 'optional'],
  ['endStationId', 'string', 'optional'],
  ['startLat', 'double', 'optional'],
  ['startLng', 'double', 'optional'],
  ['endLat', 'double', 'optional'],
  ['endLng', 'double', 'optional'],
  ['memberCasual', 'uint32'],
]

export const tripFields: readonly TripField[] = TYPES.map(([name, type, optional], index) => ({
  name,
  type,
  tag: index + 1,
  optional: optional !== undefined,
}))

/** `optional` stands for a oneof with a single field, of this name. */
export const oneofOf = ({ name }: TripField): string => `${name}Set`

/** The tag of the list, and its key on the wire: tag 1, with a length before it. */
export const TRIPS_TAG = 1
export const TRIPS_KEY = (TRIPS_TAG << 3) | 2
