import { ByteReader } from './byte-reader.js'

describe('a reader of bytes', () => {
  it.each([
    ['fa', 250],
    ['fc0102', 0x02_01],
    ['fd010203', 0x03_02_01],
    ['fe0102030405060000', 0x06_05_04_03_02_01],
  ])('reads a number with the length that its first byte says: %s', (hex, number) => {
    const reader = new ByteReader(Buffer.from(hex, 'hex'))
    expect([reader.length(), reader.left]).toEqual([number, 0])
  })

  it('reads no more than there is', () => {
    const reader = new ByteReader(Buffer.from([1, 2]))
    expect([...reader.bytes(2)]).toEqual([1, 2])
    expect(() => reader.bytes(1)).toThrow(RangeError)
  })
})
