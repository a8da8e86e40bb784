import { randomBytes } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { Compression } from './compression.js'

const compression = new Compression(100)
const through = async (
  text: string,
): Promise<{ text: string | undefined; length: number; isLater: boolean }> => {
  const compressed = compression.compress(text)
  const bytes = await compressed
  const found = compression.decompress(bytes)
  return {
    text: (await found)?.toString(),
    length: bytes.length,
    isLater: compressed instanceof Promise && found instanceof Promise,
  }
}

describe('compression', () => {
  it.each([
    ['nothing', ''],
    ['a small text', 'rosé'],
    ['as many bytes as are left as they are', 'x'.repeat(100)],
  ])('leaves small payloads as they are: %s', async (_, text) => {
    expect(await through(text)).toEqual({ text, length: 1 + Buffer.byteLength(text), isLater: false })
  })

  it('makes larger ones smaller', async () => {
    const text = 'rosé and 🎁, '.repeat(1_000)
    const found = await through(text)
    expect(found).toMatchObject({ text, isLater: false })
    expect(found.length).toBeLessThan(200)
  })

  it('makes none larger than by a byte', async () => {
    for (const bytes of [101, 1_000, 300_000]) {
      const text = randomBytes(bytes).toString('latin1')
      const { length, text: read } = await through(text)
      expect(read).toBe(text)
      expect(length).toBeLessThanOrEqual(1 + Buffer.byteLength(text))
    }
  })

  it('has another thread compress what takes long', async () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}` })))
    const found = await through(text)
    expect(found.text).toBe(text)
    expect(found.length).toBeLessThan(text.length / 4)
    // Whether both were later depends on the length alone.
    expect(found.isLater).toBe(text.length >= 256 * 1_024)
  })

  it('does not compress what it would not decompress', async () => {
    const text = 'x'.repeat(16 * 2 ** 20 + 1)
    expect((await compression.compress(text)).length).toBe(1 + text.length)
  })

  /** What an attacker would store: bytes that say to be so long. */
  const bomb = (plain: Buffer, says: number): Buffer => {
    const head = Buffer.from([1, 0, 0, 0, 0])
    head.writeUInt32BE(says, 1)
    return Buffer.concat([head, zstdCompressSync(plain)])
  }

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another form', Buffer.from([2, 1, 2, 3, 4, 5])],
    ['no length', Buffer.from([1, 0, 0])],
    ['no zstd', Buffer.from([1, 0, 0, 0, 9, 1, 2, 3, 4])],
    ['more than it says', bomb(Buffer.alloc(10_000_000), 1_000)],
    ['more than it says, of a large one', bomb(Buffer.alloc(30_000_000), 1_000_000)],
    ['less than it says', bomb(Buffer.alloc(1_000), 1_001)],
    ['nothing, and says so', bomb(Buffer.alloc(10), 0)],
    ['more than any payload has', bomb(Buffer.alloc(17 * 2 ** 20), 17 * 2 ** 20)],
    ['a length that is no longer one', bomb(Buffer.alloc(10), 0xffff_ffff)],
  ])('reads nothing, and does not throw, of bytes that it has not made: %s', async (_, bytes) => {
    expect(await compression.decompress(bytes)).toBeUndefined()
  })
})
