/**
 * The bytes that characters beyond ASCII begin with in UTF-8, those of Latin scripts: typographic marks, such as curly quotes and
 * dashes; letters with accents; and emoji. The most frequent ones come first.
 */
const leads = ['\xe2', '\xc3', '\xc5', '\xc4', '\xc2', '\xf0'] as const

/** How many bytes more than UTF-16 units a character has. */
const moreOf = (lead: number): number => (lead < 0xe0 ? 1 : 2)

/** More than any place in a text. */
const nowhere = 2 ** 29

/** Bytes of texts from which on it is worth while. */
const minLength = 768

/** Of one record. Where there are more, it is as well to read all of it as what it is. */
const maxPlaces = 64

/**
 * The characters beyond ASCII of a record that is read as it arrived, one character for each byte. V8 holds such a text in half
 * the memory that it takes when one curly quote makes all of it two bytes a character, and Node makes it several times faster.
 * Only the texts that have such characters are made of their bytes, by themselves.
 */
export class WideTexts {
  /** Where the next character of several bytes stands. */
  next = nowhere
  /** Of the record that is read next, and where its text begins in them. */
  #bytes: Buffer = Buffer.alloc(0)
  #offset = 0
  /** In their order. */
  readonly #places = new Int32Array(maxPlaces + 1)
  #reached = 0

  /** Begins a text that has as many characters as UTF-16 units. */
  beginPlain(): void {
    this.next = nowhere
  }

  /**
   * Begins a text of one character for each byte.
   *
   * @param offset where it begins in the bytes
   * @param more how many bytes it has more than UTF-16 units
   * @returns whether that is due to a few characters which are looked for
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

  /** Where a text ends that begins at a place and has so many UTF-16 units. */
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
