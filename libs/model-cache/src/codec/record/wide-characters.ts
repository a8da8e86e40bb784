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
 * A place counts from the one before it, the first from the `#`. Bringing a character back costs about as much as 64
 * characters of ASCII save; text that has more of them stays as it is.
 */
const narrowPerWide = 200

const placeholder = '?'.charCodeAt(0)
const entryDigits = 2 * lengthDigits

/** The place of the next wide character when there is none: behind every text. */
export const nowhere = 2 ** 30

/** A record as it is written; null when its text is not well formed, which does not survive UTF-8. */
export function takeWideApart(record: string): string | null {
  const wideBytes = Buffer.byteLength(record) - record.length
  if (wideBytes === 0) return record
  if (!record.isWellFormed()) return null
  // At most two more bytes for each.
  if (wideBytes * (narrowPerWide / 2) > record.length) return record
  return listWide(record)
}

/** Room for the code units of a record, and for the same as bytes. */
class Scratch {
  readonly bytes: Buffer
  readonly pairs: Uint32Array

  constructor(units: number) {
    this.bytes = Buffer.alloc(2 * units)
    this.pairs = new Uint32Array(this.bytes.buffer, this.bytes.byteOffset, units >> 1)
  }
}

const scratchUnits = 8_192
const scratch = new Scratch(scratchUnits)

/** The bits of two code units, in the order of this machine, that only wide characters have. */
const wideBits = new Uint32Array(new Uint8Array([0x80, 0xff, 0x80, 0xff]).buffer)[0]!

function listWide(record: string): string {
  const { length } = record
  const { bytes, pairs } = length < scratchUnits ? scratch : new Scratch((length + 8) & ~7)
  const end = (length + 1) >> 1
  pairs[end - 1] = 0
  bytes.write(record, 'utf16le')
  let list = ''
  let count = 0
  let last = 0
  const places: number[] = []
  for (let i = 0; i < end; i++) {
    if ((pairs[i]! & wideBits) === 0) continue
    for (let at = i * 2; at < i * 2 + 2; at++) {
      const unit = record.charCodeAt(at)
      if (!(unit > 127)) continue
      if (at - last > maxLength) return record
      list += digitsOf(at - last) + digitsOf(unit)
      places.push((last = at))
      count++
    }
  }
  if (count * narrowPerWide > length || count > maxLength) return record
  bytes.write(record, 'latin1')
  for (const place of places) bytes[place] = placeholder
  return `%${digitsOf(count)}${list}${bytes.toString('latin1', 0, length)}`
}

const digitsOf = (value: number): string =>
  String.fromCharCode((value >> 12) + zero, ((value >> 6) & 63) + zero, (value & 63) + zero)

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

  /** The text that has been read and ends at this place, as it was before. */
  restore(text: string, end: number): string {
    const start = end - text.length
    let restored = ''
    let from = 0
    do {
      const place = this.next - start
      if (place < from || text.charCodeAt(place) !== placeholder) refuse()
      restored += text.substring(from, place) + String.fromCharCode(this.#read(this.#entry - lengthDigits))
      from = place + 1
      this.#advance(this.next)
    } while (this.next < end)
    return restored + text.substring(from)
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
