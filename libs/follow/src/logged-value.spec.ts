import { type KeyKind, lookupKeyOf } from 'model-cache/internal'
import { valueOf } from './logged-value.js'

const dateOf = (text: string): string | undefined =>
  (valueOf('date', text) as Date | undefined)?.toISOString()

it.each([
  ['a timestamp', '2024-01-02 10:00:00', '2024-01-02T10:00:00.000Z'],
  ['a fraction', '2024-01-02 10:00:00.5', '2024-01-02T10:00:00.500Z'],
  ['microseconds, which are cut off', '2024-01-02 10:00:00.123999', '2024-01-02T10:00:00.123Z'],
  ['microseconds before 1970', '1969-12-31 23:59:59.999999', '1969-12-31T23:59:59.999Z'],
  ['UTC', '2024-01-02 10:00:00+00', '2024-01-02T10:00:00.000Z'],
  ['another time zone', '2024-01-02 10:00:00.25+05:30', '2024-01-02T04:30:00.250Z'],
  ['a time zone in the west', '2024-01-02 20:00:00-08', '2024-01-03T04:00:00.000Z'],
  ['a date', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['the first day of 1970', '1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['the first moment of 1970', '1970-01-01 00:00:00+00', '1970-01-01T00:00:00.000Z'],
  ['a year of one digit', '0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['a time', '10:20:30.456', '1970-01-01T10:20:30.456Z'],
  ['midnight', '00:00:00', '1970-01-01T00:00:00.000Z'],
  ['a time with a zone', '10:20:30+00', '1970-01-01T10:20:30.000Z'],
])('reads %s', (_, text, expected) => {
  expect(dateOf(text)).toBe(expected)
})

it.each([
  'infinity',
  '-infinity',
  '0044-03-15 BC',
  '0044-03-15 10:00:00+00 BC',
  '12024-01-01',
  '1883-01-01 10:00:00-00:01:15',
  '',
  '15/03/2024',
  'on 1970-01-01',
  'at 00:00:00',
  '1970-01-01 BC',
  '25:01:02',
  '00:00:00-00:01:15',
])('does not guess the date %j', (text) => {
  expect(valueOf('date', text)).toBeUndefined()
  expect(valueOf('day', text)).toBeUndefined()
})

it.each<[KeyKind, string, string]>([
  ['decimal', '1.50', '1.5'],
  ['decimal', '100', '100'],
  ['decimal', '-0.00', '0'],
  ['decimal', '-0.50', '-0.5'],
  ['decimal', '00012.3400', '12.34'],
  [
    'decimal',
    '123456789012345678901234567890.000000000000000000001',
    '123456789012345678901234567890.000000000000000000001',
  ],
  ['decimal', '$1,234.50', '1234.5'],
  ['decimal', '-$0.05', '-0.05'],
  ['bytes', String.raw`\x00ff13`, '00ff13'],
  ['bytes', String.raw`\x`, ''],
  ['boolean', 't', 'true'],
  ['boolean', 'f', 'false'],
  ['boolean', '1', 'true'],
  ['boolean', '0', 'false'],
  ['bigint', '-9223372036854775808', '-9223372036854775808'],
  ['number', '-0', '0'],
  ['number', '1e-07', '1e-7'],
  ['number', '0.1', '0.1'],
  ['string', ' as it is ', ' as it is '],
  ['uuid', '5eed0000-0000-4000-a000-0000000000ff', '5eed0000-0000-4000-a000-0000000000ff'],
])('gives a %s of %j its key', (kind, text, key) => {
  expect(lookupKeyOf([{ name: 'field', kind, folds: false }], { field: valueOf(kind, text) })).toBe(key)
})

it.each<[KeyKind, string]>([
  ['decimal', 'NaN'],
  ['decimal', 'Infinity'],
  ['decimal', '1-2'],
  ['decimal', '1.2.3'],
  ['boolean', '2'],
  ['boolean', '-1'],
  ['number', 'NaN'],
  ['number', '-Infinity'],
  ['bigint', ''],
  ['bigint', 'x1'],
  ['bigint', '1x'],
  ['bytes', 'abc'],
])('gives a %s of %j no key', (kind, text) => {
  expect(lookupKeyOf([{ name: 'field', kind, folds: false }], { field: valueOf(kind, text) })).toBeUndefined()
})

it('does not take bytes for a string, as of a UUID of MariaDB, which Prisma gives in another form', () => {
  expect(valueOf('string', String.raw`\x123e4567e89b12d3a456426655440000`)).toBeUndefined()
})
