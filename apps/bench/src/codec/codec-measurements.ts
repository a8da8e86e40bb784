import type { WireFormat } from 'model-cache/codec'

/** By candidate. */
export type Figures = Readonly<Record<string, number>>

export interface FixtureResult {
  readonly name: string
  /** That of the default codec. */
  readonly format: WireFormat
  /** Different rows that took part. */
  readonly rows: number
  /** Mean length of a stored row. */
  readonly bytes: Figures
  /** Nanoseconds per row, from what the client library hands over. */
  readonly decode: Figures
  /** Nanoseconds per row, to bytes that are ready for the socket. */
  readonly encode: Figures
  /** Nanoseconds per row that the client library takes to make text of bytes, before `decode`. */
  readonly arrival: Figures
  /** Half the distance of the quartiles of the rounds, as a part of the median. */
  readonly spread: { readonly decode: Figures; readonly encode: Figures }
}

/** How many times as fast the default codec is, over the fixtures. */
export interface SpeedUp {
  readonly median: number
  readonly min: number
}

export interface CodecMeasurements {
  readonly fixtures: readonly FixtureResult[]
  readonly summary: Readonly<Record<string, SpeedUp>>
  /** What a candidate does not do, by its name. */
  readonly notes: Readonly<Record<string, string>>
}
