import { Decimal } from '@prisma/client/runtime/client'
import { createFreeForm } from './free-form.js'
import { RecordForms } from './record-forms.js'
import type { WirePlan } from './wire-plan.js'

const free = createFreeForm()
const present = { nullable: false, undefinable: false } as const
const field = (name: string, plan: WirePlan) => ({ name, optional: false, plan })
const row: WirePlan = {
  kind: 'object',
  fields: [
    field('id', { kind: 'number', ...present }),
    field('at', { kind: 'date', ...present, nullable: true }),
    field('extra', { kind: 'json', ...present, nullable: true }),
    field('tags', { kind: 'array', items: { kind: 'string', ...present }, ...present }),
  ],
  ...present,
}
const rows: WirePlan = { kind: 'array', items: row, ...present }
const one = { id: 1, at: new Date(5), extra: { a: [null, 'ü'] }, tags: ['x', ''] }
const many = (count: number) => Array.from({ length: count }, (_, id) => ({ ...one, id }))

const open = (plan = rows) => new RecordForms(free).of({}, () => plan)!

it('writes values from the second one on, or a long first one, and reads and copies them', () => {
  const form = open()
  expect(form.write([one])).toBeUndefined()
  for (const value of [[one], [], many(3)]) {
    const record = form.write(value)!
    expect(form.read(Buffer.from(`head${record}`), 4)).toStrictEqual(value)
    const copy = form.copy(value)
    expect(copy).toStrictEqual(value)
    expect(copy).not.toBe(value)
  }
  expect(open().write(many(50))).toBeDefined()
})

it('has decimals of its own in each value that is read or copied', () => {
  const plan: WirePlan = { kind: 'array', items: { kind: 'decimal', Decimal, ...present }, ...present }
  const form = new RecordForms(createFreeForm(Decimal)).of({}, () => plan)!
  const texts = ['1.5', '1.5', '-12345678.9', '-12345678.9', '0', '123456789012345678901234567890.12']
  const value = texts.map((text) => new Decimal(text))
  form.write(value)
  const record = Buffer.from(form.write(value)!)
  const [one, other] = [form.read(record, 0), form.read(record, 0)] as [object[], object[]]
  const [copy, odd] = [form.copy(one), form.copy([new Decimal('NaN')])] as [object[], object[]]
  for (const each of [one, other, copy]) expect(each).toStrictEqual(value)
  expect(odd).toStrictEqual([new Decimal('NaN')])
  const all = [value, one, other, copy].flat()
  expect(new Set(all).size).toBe(all.length)
})

it.each<[string, unknown]>([
  ['no row', null],
  ['another field', [{ ...one, more: 1 }]],
  ['a field less', [{ id: 1, at: null, extra: null }]],
  ['another order of fields', [{ at: null, id: 1, extra: null, tags: [] }]],
  ['another kind of value', [{ ...one, at: 'text' }]],
  ['a value that records do not hold', [{ ...one, id: Number.NaN }]],
  ['half a character', [{ ...one, tags: ['\ud800'] }]],
])('leaves %s to the free form', (_, value) => {
  const form = open()
  form.write([one])
  expect(form.write(value)).toBeUndefined()
  expect(form.write([one])).toBeDefined()
})

it('does not try again after several values that it does not hold', () => {
  const form = open()
  for (let at = 0; at < 6; at++) form.write([{ ...one, more: 1 }])
  expect(form.write([one])).toBeUndefined()
})

it('leaves lists to the free form that are as long as one which was too long', () => {
  const form = open()
  const long = (count: number) => many(count).map((each) => ({ ...each, tags: ['x'.repeat(300_000)] }))
  expect(form.write(long(60))).toBeUndefined()
  expect(form.write(many(60))).toBeUndefined()
  expect(form.write(many(59))).toBeDefined()
})

it('has one form for equal plans, by name, as long as it is asked for', () => {
  const forms = new RecordForms(free)
  const key = {}
  const form = forms.of(key, () => rows)!
  expect(forms.of({}, () => structuredClone(rows))).toBe(form)
  expect(forms.named(form.print)).toBe(form)
  for (let n = 0; n < 300; n++)
    forms.of({}, () => ({
      kind: 'object',
      fields: [field(`n${n}`, { kind: 'number', ...present })],
      ...present,
    }))
  expect(forms.named(form.print)).toBeUndefined()
  expect(forms.of(key, () => undefined)).toBe(form)
  expect(forms.named(form.print)).toBe(form)
})

it('has another form for another order of fields', () => {
  const forms = new RecordForms(free)
  const reversed = {
    ...rows,
    items: { ...row, fields: (row as { readonly fields: readonly object[] }).fields.toReversed() },
  } as WirePlan
  const [form, other] = [rows, reversed].map((plan) => forms.of({}, () => plan)!)
  expect(form!.print).not.toBe(other!.print)
})

it('has none where no record holds the values', () => {
  const forms = new RecordForms(free)
  expect(forms.of({}, () => undefined)).toBeUndefined()
  expect(forms.of({}, () => ({ kind: 'number', ...present }))).toBeUndefined()
})
