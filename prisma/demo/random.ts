/** A stream of random values. The same seed gives the same stream on every machine. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number
  pick<Value>(values: readonly Value[]): Value
  chance(probability: number): boolean
  /** A version 4 UUID. */
  uuid(): string
  /** A date between two others, in full seconds. */
  date(from: Date, to: Date): Date
}

export function createRandom(seed: string): Random {
  const next = mulberry32(hash(seed))
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const hex = (length: number): string => Array.from({ length }, () => integer(0, 15).toString(16)).join('')
  return {
    next,
    integer,
    pick: (values) => values[integer(0, values.length - 1)]!,
    chance: (probability) => next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${integer(8, 11).toString(16)}${hex(3)}-${hex(12)}`,
    date: (from, to) => new Date(integer(from.getTime() / 1000, to.getTime() / 1000) * 1000),
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}

/** Tommy Ettinger's mulberry32, with 32 bits of state: good enough for demo data. */
function mulberry32(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
