type Fields = Readonly<Record<string, unknown>>

/** Bits of a digest: as many as a number holds exactly. */
const highBits = 2 ** 21

/**
 * Digests the places of rows in a list: the values that it is ordered by. A row that has left a list and come back to another place is
 * a member, but not where the entry has it.
 *
 * @param fields that the list is ordered by, besides the id
 * @returns 0 for a list that is ordered by its ids
 */
export function orderDigestOf(fields: readonly string[], rows: readonly unknown[]): number {
  if (fields.length === 0) return 0
  const digest = new Digest()
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Fields
    for (let j = 0; j < fields.length; j++) addValue(digest, row[fields[j]!])
  }
  return digest.value
}

/** Two hashes of 32 bits with different multipliers. */
class Digest {
  #one = 0x811c9dc5
  #other = 0x9e3779b9

  add(number: number): void {
    this.#one = Math.imul(this.#one ^ number, 0x01000193)
    this.#other = Math.imul((this.#other ^ number) + 0x7f4a7c15, 0x85ebca6b)
    this.#other ^= this.#other >>> 13
  }

  addText(text: string): void {
    this.add(text.length)
    for (let i = 0; i < text.length; i++) this.add(text.charCodeAt(i))
  }

  get value(): number {
    return (this.#one >>> 0) * highBits + ((this.#other >>> 0) % highBits)
  }
}

function addValue(digest: Digest, value: unknown): void {
  switch (typeof value) {
    case 'number':
      if (Number.isInteger(value)) {
        digest.add(value)
        digest.add(Math.floor(value / 2 ** 32))
      } else digest.addText(String(value))
      break
    case 'string':
      digest.addText(value)
      break
    case 'boolean':
      digest.add(value ? 1 : 2)
      break
    case 'bigint':
      digest.addText(String(value))
      break
    default:
      addObject(digest, value as object | null | undefined)
  }
}

function addObject(digest: Digest, value: object | null | undefined): void {
  if (value === null || value === undefined) digest.add(3)
  else if (value instanceof Date) addValue(digest, value.getTime())
  else if (value instanceof Uint8Array) for (const byte of value) digest.add(byte)
  // A decimal.
  else digest.addText(String(value))
}
