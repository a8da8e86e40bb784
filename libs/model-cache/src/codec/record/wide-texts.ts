/**
 * First UTF-8 bytes of the non-ASCII characters in Latin scripts, most frequent first: typographic marks such as curly quotes
 * and dashes, letters with accents, and emoji.
 */
const leads = ['\xe2', '\xc3', '\xc5', '\xc4', '\xc2', '\xf0'] as const

/** Returns how many more bytes than UTF-16 units a character has. */
const moreOf = (lead: number): number => (lead < 0xe0 ? 1 : 2)

/** Greater than any index in a payload. */
const nowhere = 2 ** 29

/** Minimum payload size in bytes for which this is faster. */
const minLength = 768

/** Maximum number of non-ASCII characters in a record. With more, decoding the whole record is as fast. */
const maxPlaces = 64

/**
 * Locates the non-ASCII characters of a record that is read as Latin-1, one character per byte. V8 holds such a string in half
 * the memory, since one curly quote makes a whole string two bytes per character, and Node creates it several times faster.
 * Only strings with non-ASCII characters are decoded from their bytes.
 */
export class WideTexts {
  /** Index of the next multi-byte character. */
  next = nowhere
  /** Bytes of the current record, and the offset of its body in them. */
  #bytes: Buffer = Buffer.alloc(0)
  #offset = 0
  /** Ascending indices of multi-byte characters. */
  readonly #places = new Int32Array(maxPlaces + 1)
  #reached = 0

  /** Starts a body without multi-byte characters. */
  beginPlain(): void {
    this.next = nowhere
  }

  /**
   * Starts a body of one character per byte.
   *
   * @param offset index of the body in the bytes
   * @param more how many more bytes than UTF-16 units it has
   * @returns whether a few known characters account for these; otherwise the record must be decoded as a whole
   */
  begin(text: string, bytes: Buffer, offset: number, more: number): boolean {
    if (text.length < minLength) return false
    this.#bytes = bytes
    this.#offset = offset
    const places = this.#places
    let count = 0
    let found = 0
    for (let i = 0; found < more && i < leads.length; i++) {
      const lead = leads[i]!
      const moreOfThese = moreOf(lead.charCodeAt(0))
      for (let at = text.indexOf(lead); at >= 0; at = text.indexOf(lead, at + 1)) {
        if (count === maxPlaces) return false
        let place = count++
        for (; place > 0 && places[place - 1]! > at; place--) places[place] = places[place - 1]!
        places[place] = at
        found += moreOfThese
      }
    }
    if (found !== more) return false
    places[count] = nowhere
    this.#reached = 0
    this.next = places[0]!
    return true
  }

  /** Returns the end of the string that starts at `start` and has `units` UTF-16 units. */
  endOf(text: string, start: number, units: number): number {
    let end = start + units
    while (this.next < end) {
      end += moreOf(text.charCodeAt(this.next))
      this.next = this.#places[++this.#reached]!
    }
    return end
  }

  take(start: number, end: number): string {
    return this.#bytes.toString('utf8', this.#offset + start, this.#offset + end)
  }
}
