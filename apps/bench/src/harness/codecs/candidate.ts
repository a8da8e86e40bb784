import type { Codec } from 'model-cache/codec'
import { Decimal } from '../fixtures/fixture.ts'

/** `read` is `decode` of received bytes. */
export type Operation = 'decode' | 'encode' | 'read'

/** One way to store rows. Preparing the input of `encode` is not timed. */
export interface Candidate {
  readonly name: string
  /** `decode` and `read` for a parser alone, `encode` for a writer alone. */
  readonly timed: readonly Operation[]
  /** What it gets from the client library: text, as from ioredis' `get`, or bytes, as from `getBuffer`. */
  readonly reads: 'text' | 'bytes'
  /** The input of `encode` for a row: the row, or as much of it as the candidate can take. */
  take(row: unknown): unknown
  /** To bytes that are ready for a socket. */
  encode(value: unknown): Buffer
  decode(stored: never): unknown
  /** Like {@link decode}, of the bytes as they arrive. */
  read(bytes: Buffer): unknown
  /** What `decode` must return for a row; if not the row itself, `note` names the loss. */
  expected(row: unknown): unknown
  /** What to know before comparing. */
  readonly note?: string
}

const same = (row: unknown): unknown => row

export const PARSER: readonly Operation[] = ['decode', 'read']

/** A codec of this library, which reads rows from bytes. */
export const codecCandidate = (name: string, codec: Codec<unknown>): Candidate =>
  textCandidate(
    name,
    (row: unknown) => codec.encode(row),
    (text) => codec.decode(text),
    { read: (bytes) => codec.decodeUtf8(bytes) },
  )

/** A candidate that writes and reads text. */
export const textCandidate = (
  name: string,
  stringify: (value: never) => string,
  parse: (text: string) => unknown,
  options: Partial<Candidate> = {},
): Candidate => ({
  ...bytesCandidate(name, (value) => Buffer.from(stringify(value as never), 'utf8'), parse as never),
  reads: 'text',
  read: (bytes) => parse(bytes.toString('utf8')),
  ...options,
})

/** A candidate that writes and reads bytes. */
export const bytesCandidate = (
  name: string,
  encode: Candidate['encode'],
  decode: (bytes: Buffer) => unknown,
  options: Partial<Candidate> = {},
): Candidate => ({
  name,
  timed: ['decode', 'encode', 'read'],
  reads: 'bytes',
  take: same,
  encode,
  decode: decode as Candidate['decode'],
  read: decode,
  expected: same,
  ...options,
})

/**
 * Changes the leaves of a row. An object in which nothing changes stays the same object, and copies have the hidden
 * class of the original, so that they cost a writer as much as the row.
 */
export function mapValues(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return change(value)
  if (value instanceof Date || value instanceof Uint8Array || Decimal.isDecimal(value)) return change(value)
  let copy: Record<string, unknown> | undefined
  for (const [key, entry] of Object.entries(value)) {
    const changed = mapValues(entry, change)
    if (changed === entry) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = changed
  }
  return copy ?? value
}
