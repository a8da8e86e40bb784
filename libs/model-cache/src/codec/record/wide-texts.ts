/**
 * First UTF-8 bytes of the non-ASCII characters in Latin scripts, most frequent first: typographic marks such as curly quotes
 * and dashes, letters with accents, and emoji.
 */
const leads = ['\xe2', '\xc3', '\xc5', '\xc4', '\xc2', '\xf0'] as const

/** Returns how many more bytes than UTF-16 units a character has. */
const moreOf = (lead: number): number => (lead < 0xe0 ? 1 : 2)

/** The first byte from which on a character has two UTF-16 units. */
const pairLead = 0xf0

/** Thrown where one string ends with the first half of a character and the next begins with the other. */
export const dividedCharacter = new TypeError('two strings share a character')

/** Greater than any index in a payload. */
const nowhere = 2 ** 29

/** Minimum number of bytes for which this is faster than decoding all of them. */
const minLength = 768

/** Maximum number of additional bytes, and so of non-ASCII characters, for which it is. */
const maxPlaces = 32

const none = Buffer.alloc(0)

/**
 * Locates the non-ASCII characters of a record that is read as Latin-1, one character per byte. V8 holds such a string in half
 * the memory, since one curly quote makes a whole string two bytes per character, and Node creates it several times faster.
 * Only strings with non-ASCII characters are decoded from their bytes.
 */
export class WideTexts {
  /** Index of the next multi-byte character. */
  next = nowhere
  /** Bytes of the current record, and the offset of its body in them. */
  #bytes: Buffer = none
  #offset = 0
  /** Ascending indices of multi-byte characters. */
  readonly #places = new Int32Array(maxPlaces + 1)
  #reached = 0

  /** Starts a body that is a string already. */
  beginPlain(): void {
    this.next = nowhere
  }

  /**
   * Starts a body of bytes, and returns its string: of one character per byte, or decoded as a whole, which costs less for short bodies
   * and for those with many or rare non-ASCII characters.
   *
   * @param offset index of the body in the bytes
   * @param more how many more bytes than UTF-16 units it has
   */
  begin(bytes: Buffer, offset: number, more: number): string {
    this.next = nowhere
    if (more === 0) return bytes.toString('latin1', offset)
    if (bytes.length - offset < minLength || more > maxPlaces) return bytes.toString('utf8', offset)
    const text = bytes.toString('latin1', offset)
    const count = this.#locate(text, more)
    if (count === undefined) return bytes.toString('utf8', offset)
    this.#bytes = bytes
    this.#offset = offset
    this.#places[count] = nowhere
    this.#reached = 0
    this.next = this.#places[0]!
    return text
  }

  /** Lets go of the bytes of the record. */
  end(): void {
    this.#bytes = none
  }

  /**
   * Returns the end of the string that starts at `start` and has `units` UTF-16 units.
   *
   * @throws `dividedCharacter`, whose halves have no bytes of their own
   */
  endOf(text: string, start: number, units: number): number {
    let end = start + units
    while (this.next < end) {
      const lead = text.charCodeAt(this.next)
      if (lead >= pairLead && this.next === end - 1) throw dividedCharacter
      end += moreOf(lead)
      this.next = this.#places[++this.#reached]!
    }
    return end
  }

  take(start: number, end: number): string {
    return this.#bytes.toString('utf8', this.#offset + start, this.#offset + end)
  }

  /** Returns the number of places; undefined if known characters do not account for all of the additional bytes. */
  #locate(text: string, more: number): number | undefined {
    const places = this.#places
    let count = 0
    let found = 0
    for (let i = 0; found < more && i < leads.length; i++) {
      const lead = leads[i]!
      const moreOfThese = moreOf(lead.charCodeAt(0))
      for (let at = text.indexOf(lead); at >= 0; at = text.indexOf(lead, at + 1)) {
        if (count === maxPlaces) return undefined
        let place = count++
        for (; place > 0 && places[place - 1]! > at; place--) places[place] = places[place - 1]!
        places[place] = at
        found += moreOfThese
      }
    }
    return found === more ? count : undefined
  }
}
