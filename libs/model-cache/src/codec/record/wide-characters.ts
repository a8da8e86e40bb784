import { lengthDigits, mark, maxLength, wideMark, zero } from './digits.js'

/**
 * Characters beyond ASCII, apart from the text that they belong to. One curly quote makes V8 take two bytes for each
 * character of a record, and Node read its bytes at a third of the speed. So where they are few, they are listed in
 * front, by place and UTF-16 code unit, and the text has placeholders:
 *
 * ```
 * %<how many, three digits><place, three digits; code unit, three digits>…#<head><body>#
 * ```
 *
 * A place counts from the one before it, the first from the `#`. Putting a character back costs about what 200 characters
 * save by being one byte each, for those who read the row and those who then write it as JSON; records that have more
 * wide characters stay as they are.
 */
const narrowPerWide = 200

const placeholder = '?'.charCodeAt(0)
const entryDigits = 2 * lengthDigits

/** The place of the next wide character when there is none: behind every text. */
export const nowhere = 2 ** 30

/** A record as it is written; null when its text is not well formed, which does not survive UTF-8. */
export function takeWideApart(record: string): string | null {
  const size = Buffer.byteLength(record)
  const more = size - record.length
  if (more === 0) return record
  if (!record.isWellFormed()) return null
  // At most two more bytes for each.
  return more * (narrowPerWide / 2) > record.length ? record : listWide(record, size)
}

/** Room for a record in UTF-8, its bytes and the same as words, and for what is written in its place. */
class Scratch {
  readonly bytes: Buffer
  readonly words: Uint32Array
  readonly narrow: Buffer
  readonly places: Uint32Array

  constructor(size: number) {
    const buffer = new ArrayBuffer(size)
    this.bytes = Buffer.from(buffer)
    this.words = new Uint32Array(buffer)
    // A list takes less than the record: few characters are listed.
    this.narrow = Buffer.alloc(2 * size)
    this.places = new Uint32Array(size >> 4)
  }
}

const blockSize = 16
const scratchSize = 65_536
const scratch = new Scratch(scratchSize)

/** The bits of four bytes that only those of wide characters have. */
const wideBits = 0x80808080

function listWide(record: string, size: number): string {
  const { bytes, words, narrow, places } =
    size < scratchSize ? scratch : new Scratch((size + blockSize) & -blockSize)
  bytes.write(record)
  let count = 0
  let end = 1 + lengthDigits
  let last = 0
  // How many bytes more than code units stand before a byte.
  let more = 0
  let at = 0
  while ((at = nextWide(bytes, words, at, size)) < size) {
    const first = bytes[at]!
    const units = first < 0xf0 ? 1 : 2
    const length = first < 0xe0 ? 2 : units + 2
    for (let place = at - more; place < at - more + units; place++) {
      if (place - last > maxLength) return record
      end = writeThree(narrow, end, place - last)
      end = writeThree(narrow, end, record.charCodeAt(place))
      places[count++] = last = place
    }
    more += length - units
    at += length
  }
  if (count * narrowPerWide > record.length || count > maxLength) return record
  narrow[0] = wideMark
  writeThree(narrow, 1, count)
  narrow.write(record, end, 'latin1')
  for (let i = 0; i < count; i++) narrow[end + places[i]!] = placeholder
  return narrow.toString('latin1', 0, end + record.length)
}

function writeThree(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = (value >> 12) + zero
  bytes[at + 1] = ((value >> 6) & 63) + zero
  bytes[at + 2] = (value & 63) + zero
  return at + lengthDigits
}

/** Where the next wide character begins, of the bytes from a place on at which one may. */
function nextWide(bytes: Uint8Array, words: Uint32Array, at: number, size: number): number {
  for (; at < size; at++) {
    if (at % blockSize === 0) {
      let word = at >> 2
      while (
        word * 4 < size &&
        ((words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!) & wideBits) === 0
      )
        word += 4
      at = word * 4
    }
    if (bytes[at]! > 127) return at
  }
  return size
}

/** Brings the wide characters of a record back, while its texts are read one behind the other. */
export class WideReader {
  /** Where the next one belongs; {@link nowhere} when there is none left. */
  next = nowhere
  #text = ''
  #entry = 0
  #left = 0

  /**
   * Begins a record.
   *
   * @returns where its `#` stands
   */
  begin(text: string, start: number): number {
    this.next = nowhere
    return text.charCodeAt(start) === mark ? start : this.#beginList(text, start)
  }

  /** What stood between these places of the text. */
  restore(text: string, start: number, end: number): string {
    let restored = ''
    do {
      const place = this.next
      if (place < start || text.charCodeAt(place) !== placeholder) refuse()
      restored += text.substring(start, place) + String.fromCharCode(this.#read(this.#entry - lengthDigits))
      start = place + 1
      this.#advance(place)
    } while (this.next < end)
    return restored + text.substring(start, end)
  }

  #beginList(text: string, start: number): number {
    this.#text = text
    this.#left = this.#read(start + 1)
    this.#entry = start + 1 + lengthDigits
    const record = this.#entry + this.#left * entryDigits
    if (text.charCodeAt(start) !== wideMark || text.charCodeAt(record) !== mark) refuse()
    this.#advance(record)
    return record
  }

  #advance(last: number): void {
    if (this.#left === 0) {
      this.next = nowhere
      // Nothing that has been read is kept.
      this.#text = ''
      return
    }
    this.#left--
    this.next = last + this.#read(this.#entry)
    this.#entry += entryDigits
  }

  #read(at: number): number {
    const text = this.#text
    return (
      (text.charCodeAt(at) << 12) +
      (text.charCodeAt(at + 1) << 6) +
      text.charCodeAt(at + 2) -
      zero * (2 ** 12 + 2 ** 6 + 1)
    )
  }
}

function refuse(): never {
  throw new TypeError('not the wide characters of a record')
}
