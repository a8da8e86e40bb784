import * as zlib from 'node:zlib'

/** Whether this Node has zstd: from 22.15 and 23.8 on. */
export const hasZstd = typeof zlib.zstdCompressSync === 'function'

/** The first byte: the payload follows as it is, or its length and its zstd. */
const asItIs = 0
const zstd = 1

/** The form and the length of the payload, in four bytes. */
const headLength = 5

/** Bytes of the longest payload that is compressed. Decompressing allocates no more. */
const maxLength = 16 * 2 ** 20

/** Bytes of a payload from which on it is compressed and decompressed by another thread: less takes half a millisecond at most. */
const offThreadFrom = 256 * 1_024

/**
 * Compresses payloads with zstd, as far as that makes them smaller.
 *
 * ```
 * 0 <payload>
 * 1 <length of the payload, 4 bytes> <zstd of the payload>
 * ```
 */
export class Compression {
  readonly #above: number

  /** @param above bytes of a payload, above which it is compressed */
  constructor(above: number) {
    this.#above = above
  }

  /** A promise for a large payload. */
  compress(text: string): Buffer | Promise<Buffer> {
    const length = Buffer.byteLength(text)
    const plain = Buffer.allocUnsafe(1 + length)
    plain[0] = asItIs
    plain.write(text, 1)
    if (length <= this.#above || length > maxLength) return plain
    const payload = plain.subarray(1)
    if (length < offThreadFrom) return smallerOf(plain, zlib.zstdCompressSync(payload))
    return inThread(zlib.zstdCompress, payload, {}).then(
      (compressed) => smallerOf(plain, compressed),
      () => plain,
    )
  }

  /** A promise for a large payload. Undefined for bytes that {@link compress} did not make. Never throws or rejects. */
  decompress(bytes: Buffer): Buffer | undefined | Promise<Buffer | undefined> {
    const [form] = bytes
    if (form === asItIs) return bytes.subarray(1)
    if (form !== zstd || bytes.length < headLength) return undefined
    const length = bytes.readUInt32BE(1)
    if (length > maxLength) return undefined
    const compressed = bytes.subarray(headLength)
    // Fails as soon as there is more than it says.
    const options = { maxOutputLength: Math.max(1, length) }
    const whole = (payload: Buffer): Buffer | undefined => (payload.length === length ? payload : undefined)
    if (length >= offThreadFrom)
      return inThread(zlib.zstdDecompress, compressed, options).then(whole, () => undefined)
    try {
      return whole(zlib.zstdDecompressSync(compressed, options))
    } catch {
      return undefined
    }
  }
}

function smallerOf(plain: Buffer, compressed: Buffer): Buffer {
  if (headLength + compressed.length >= plain.length) return plain
  const bytes = Buffer.allocUnsafe(headLength + compressed.length)
  bytes[0] = zstd
  bytes.writeUInt32BE(plain.length - 1, 1)
  bytes.set(compressed, headLength)
  return bytes
}

function inThread(run: typeof zlib.zstdCompress, bytes: Buffer, options: zlib.ZstdOptions): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    run(bytes, options, (error, result) => (error ? reject(error) : resolve(result))),
  )
}
