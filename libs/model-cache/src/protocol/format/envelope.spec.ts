import { type } from 'arktype'
import { undecodable } from '../../codec/codec.js'
import { compileCodec } from '../../codec/compile-codec.js'
import {
  envelopeStart,
  isEnvelopeOf,
  openEnvelope,
  sealEnvelope,
  timesOf,
  negativeEntryOf,
  isNegativeEntryOf,
} from './envelope.js'

const times = { createdMs: 1_790_000_000_000, expiresMs: 1_790_000_600_000 }
const start = envelopeStart('print', 'epoch')
const sealed = (text: string): Buffer => Buffer.from(sealEnvelope('print', 'epoch', times, text).text)

describe('an envelope', () => {
  it('returns its times and the start of its payload', () => {
    const bytes = sealed('rosé')
    const textStart = openEnvelope(bytes, start)
    expect(bytes.toString('utf8', textStart)).toBe('rosé')
    expect(timesOf(bytes, textStart)).toEqual(times)
    expect(openEnvelope(bytes, envelopeStart('print', 'other'))).toBeLessThan(0)
    expect(openEnvelope(bytes, envelopeStart('print', null))).toBeLessThan(0)
    const ofNull = Buffer.from(sealEnvelope('print', 'null', times, '').text)
    expect(openEnvelope(ofNull, envelopeStart('print', null))).toBeLessThan(0)
  })

  it('has its numbers in nine digits of base 36, and says how long it is', () => {
    for (const createdMs of [
      0,
      35,
      36 ** 4 - 1,
      36 ** 4,
      times.createdMs,
      36 ** 8 - 1,
      36 ** 8,
      36 ** 9 - 1,
    ]) {
      const { text, bytes } = sealEnvelope('print', 'epoch', { createdMs, expiresMs: 1 }, 'rosé')
      const numbers = [createdMs, 1, 5].map((number) => number.toString(36).padStart(9, '0')).join('')
      expect(text).toBe(`print;epoch;${numbers};rosé`)
      expect(bytes).toBe(Buffer.byteLength(text))
    }
  })

  it.each(['record', 'json'] as const)(
    'of a row in the %s format is refused where a byte is missing',
    (format) => {
      const codec = compileCodec(type({ id: 'string', note: 'string' }), { format })
      const row = { id: 'ab', note: 'rosé, “dry” ##' }
      const bytes = sealed(codec.encode(row))
      for (let at = 0; at < bytes.length; at++) {
        const cut = bytes.subarray(0, at)
        for (const damaged of [cut, Buffer.concat([cut, bytes.subarray(at + 1)])]) {
          const textStart = openEnvelope(damaged, start)
          expect([at, textStart > 0 ? codec.decodeUtf8(damaged, textStart) : undecodable]).toEqual([
            at,
            undecodable,
          ])
        }
      }
    },
  )

  it('is damaged if something else stands before its payload', () => {
    const bytes = sealed('rosé')
    bytes[openEnvelope(bytes, start) - 1] = 'x'.charCodeAt(0)
    expect(openEnvelope(bytes, start)).toBe(0)
  })

  it.each([
    ['print;epoch;', true],
    ['print;;', true],
    ['print;epoch', false],
    ['prints;epoch;', false],
    [';print;epoch;', false],
    ['', false],
  ])('is one of a schema, of any epoch, if it begins as %j: %s', (text, isOne) => {
    expect(isEnvelopeOf(Buffer.from(text), 'print')).toBe(isOne)
  })

  it('with a negative entry belongs to its own row alone', () => {
    const bytes = sealed(negativeEntryOf('é;1'))
    const textStart = openEnvelope(bytes, start)
    expect(isNegativeEntryOf(bytes, textStart, 'é;1')).toBe(true)
    expect(isNegativeEntryOf(bytes, textStart, 'é')).toBe(false)
    expect(isNegativeEntryOf(sealed('#row#'), textStart, 'é')).toBe(false)
  })
})
