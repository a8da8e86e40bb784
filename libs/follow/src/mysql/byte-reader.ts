/** Reads the numbers and texts of an event, which are little-endian. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** @param size up to 6 bytes */
  uint(size: number): number {
    this.#at += size
    return this.#bytes.readUIntLE(this.#at - size, size)
  }

  uint64(): bigint {
    this.#at += 8
    return this.#bytes.readBigUInt64LE(this.#at - 8)
  }

  /** A number with the length that its first byte says. */
  length(): number {
    const first = this.uint(1)
    if (first < 0xfb) return first
    if (first === 0xfc) return this.uint(2)
    return first === 0xfd ? this.uint(3) : Number(this.uint64())
  }

  bytes(length: number): Buffer {
    this.#at += length
    if (this.#at > this.#bytes.length) throw new RangeError('an event ends too early')
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  rest(): Buffer {
    return this.bytes(this.left)
  }

  text(length: number): string {
    return this.bytes(length).toString('utf8')
  }

  skip(length: number): void {
    this.#at += length
  }
}
