import { undecodable } from '../../codec/codec.js'
import { createFreeForm } from '../../codec/free-form.js'
import { isNegativeEntry } from '../../protocol/index.js'
import { createResultCodec } from './stored-result.js'

const form = createFreeForm()
const codec = createResultCodec('print', form)
const value = [{ name: 'rosé', at: new Date(7) }]
const textOf = (digest: string): string => codec.encode({ digest, value, text: form.write(value) })

/** Digests may begin with each of these. */
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']

it.each(letters)('is no negative entry, whatever its digest begins with: %s', (letter) => {
  const digest = letter.padEnd(43, 'x')
  const bytes = Buffer.from(`head${textOf(digest)}`)
  expect(isNegativeEntry(bytes, 4)).toBe(false)
  expect(codec.decodeUtf8(bytes, 4)).toEqual({ digest, value })
})

it.each(['', '=', 'x'.repeat(60), `-;${'x'.repeat(43)}[null,1]`, textOf('x'.repeat(43)).slice(1)])(
  'is not read from other bytes: %j',
  (text) => expect(codec.decodeUtf8(Buffer.from(text))).toBe(undecodable),
)
