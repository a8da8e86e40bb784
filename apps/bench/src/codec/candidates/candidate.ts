export type Operation = 'decode' | 'encode'

/** One way of storing rows. What it costs to make ready what `encode` takes is not counted; `expected` is. */
export interface Candidate {
  readonly name: string
  /** Without `encode` for a parser alone, without `decode` for a writer alone. */
  readonly timed: readonly Operation[]
  /** What a client library is asked for: text, as ioredis' `get`, or bytes, as its `getBuffer`. */
  readonly reads: 'text' | 'bytes'
  /** What `encode` is given for a row: the row, or as much of it as the candidate can take. */
  take(row: unknown): unknown
  /** To bytes that are ready for a socket. */
  encode(value: unknown): Buffer
  decode(stored: never): unknown
  /** What `decode` has to give back for a row; anything but the row itself is a loss that `note` names. */
  expected(row: unknown): unknown
  /** What it does not do that others do. */
  readonly note?: string
}

const same = (row: unknown): unknown => row

/** A candidate that writes and reads text. All become bytes in the same way. */
export function textCandidate(
  name: string,
  stringify: (value: never) => string,
  parse: (text: string) => unknown,
  options: Partial<Candidate> = {},
): Candidate {
  return {
    name,
    timed: ['decode', 'encode'],
    reads: 'text',
    take: same,
    encode: (value) => Buffer.from(stringify(value as never), 'utf8'),
    decode: parse as Candidate['decode'],
    expected: same,
    ...options,
  }
}

/** A candidate that writes and reads bytes. */
export function bytesCandidate(
  name: string,
  encode: Candidate['encode'],
  decode: (bytes: Buffer) => unknown,
  options: Partial<Candidate> = {},
): Candidate {
  return {
    name,
    timed: ['decode', 'encode'],
    reads: 'bytes',
    take: same,
    encode,
    decode: decode as Candidate['decode'],
    expected: same,
    ...options,
  }
}
