import { undecodable } from '../../codec/codec.js'
import { createFreeForm } from '../../codec/free-form.js'
import { RecordForms } from '../../codec/record-forms.js'
import { isNegativeEntry } from '../../protocol/index.js'
import { createResultCodec, writeResult } from './stored-result.js'

const free = createFreeForm()
const forms = { free, records: new RecordForms(free) }
const codec = createResultCodec('print', forms)
const value = [{ name: 'rosé', at: new Date(7) }]
const textOf = (digest: string): string => codec.encode({ digest, value, text: free.write(value) })

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

describe('of rows whose form is known', () => {
  const present = { nullable: false, undefinable: false } as const
  const fields = [
    { name: 'name', optional: false, plan: { kind: 'string', ...present } },
    { name: 'at', optional: false, plan: { kind: 'date', ...present } },
  ] as const
  const rows = { kind: 'array', items: { kind: 'object', fields, ...present }, ...present } as const
  const written = (): { bytes: Buffer; expected: object } => {
    const form = forms.records.of(rows, () => rows)!
    writeResult(value, forms, form)
    const { text, form: of } = writeResult(value, forms, form)
    const digest = 'd'.repeat(43)
    expect(of).toBe(form)
    return {
      bytes: Buffer.from(`head${codec.encode({ digest, value, text })}`),
      expected: { digest, value, form },
    }
  }

  it('is written as a record, and read and copied by it', () => {
    const { bytes, expected } = written()
    expect(bytes.toString()).toContain(`${'d'.repeat(43)}~`)
    const read = codec.decodeUtf8(bytes, 4) as { digest: string; value: object[] }
    expect(read).toEqual(expected)
    const copy = codec.clone(read) as typeof read
    expect(copy).toEqual(read)
    expect(copy.value[0]).not.toBe(read.value[0])
  })

  it('is not read by a process that does not know the form, or if a part is missing', () => {
    const { bytes } = written()
    const others = createResultCodec('print', { free, records: new RecordForms(free) })
    expect(others.decodeUtf8(bytes, 4)).toBe(undecodable)
    expect(codec.decodeUtf8(bytes.subarray(0, -2), 4)).toBe(undecodable)
  })
})
