import { Decimal } from '@prisma/client/runtime/client'
import { scope, type } from 'arktype'
import * as plans from '../../../../test/support/wire-plans.js'
import { compilePlan } from './compile-plan.js'
import { bytes, decimalOf, json } from './row-types.js'
import type { WirePlan } from './wire-plan.js'

const { array, bigint, boolean, constant, date, field, flags, json: anyJson, number, object } = plans
const { optional, record, string, tuple } = plans
const nullableJson = { ...anyJson, nullable: true }

interface Fallback {
  date(): object
}
const planOf = (schema: unknown): WirePlan => compilePlan(schema as never, 'Lot')
/** The plan of a JSON Schema; `date` takes the place of what JSON Schema does not have. */
const planOfJson = (build: (date: object) => object): WirePlan =>
  planOf({ toJsonSchema: ({ fallback }: { fallback: Fallback }) => build(fallback.date()) })
const anyOf = (...branches: object[]) => planOfJson(() => ({ anyOf: branches }))
const refusal = (found: string, remedy: string, path = '(root)') =>
  expect.objectContaining({
    code: 'E_UNSUPPORTED_SCHEMA',
    message: expect.stringMatching(
      new RegExp(`^ModelCache "Lot": .*${found}.*"${path.replaceAll(/[()]/g, '\\$&')}".*${remedy}`),
    ),
  })

describe('the plan of a schema', () => {
  it.each([
    ['a string', type('string'), string],
    ['a number', type('number'), number],
    ['an integer', type('number.integer'), number],
    ['a boolean', type('boolean'), boolean],
    ['a date', type('Date'), date],
    ['a bigint', type('bigint'), bigint],
    ['bytes', bytes, plans.bytes],
    ['a decimal', decimalOf(Decimal), { kind: 'decimal', Decimal, ...flags }],
    ['JSON', json, nullableJson],
    ['anything', type('unknown'), nullableJson],
    ['null', type('null'), nullableJson],
    ['undefined', type('undefined'), { kind: 'literal', values: [], nullable: false, undefinable: true }],
    [
      'null or undefined',
      type('null | undefined'),
      { kind: 'literal', values: [], nullable: true, undefinable: true },
    ],
    ['a constant', type("'a'"), constant('a')],
    ['constants', type("'a' | 1 | true"), { ...constant(), values: expect.arrayContaining(['a', 1, true]) }],
    ['a constant or null', type("'a' | null"), { ...constant('a'), nullable: true }],
    ['a date or null', type('Date | null'), { ...date, nullable: true }],
    ['a date or undefined', type('Date | undefined'), { ...date, undefinable: true }],
    ['strings of two forms', type("string.email | 'none'"), string],
    ['numbers of two ranges', type('number < 3 | number > 5 | 4'), number],
    ['strings or numbers', type('string | number'), anyJson],
    ['a number or a constant of another kind', type("number | 'none'"), anyJson],
    [
      'dates of two ranges',
      type("Date < d'2000-01-01' | Date > d'2020-01-01' | null"),
      { ...date, nullable: true },
    ],
    ['bytes of two forms', bytes.narrow(() => true).or(bytes.narrow(() => false)), plans.bytes],
    ['a narrowed string', type('string').narrow(() => true), string],
    ['a string of two patterns', type('/a/ & /b/'), string],
    ['an array', type('Date[]'), array(date)],
    ['an array of anything', type('Array'), array(nullableJson)],
    ['a tuple', type(['number', 'Date']), tuple(number, date)],
    ['a tuple with a default', type(['number', "string = 'x'"]), tuple(number, string)],
    ['an open record', type({ '[string]': 'Date' }), record(date)],
    ['an open record of a pattern', type({ '[/^a/]': 'Date' }), record(date)],
    ['an open record of several patterns', type({ '[/^a/ | /^b/]': 'Date', '[/^c/]': 'Date' }), record(date)],
    ['an object without fields', type('object'), anyJson],
    [
      'an object',
      type({ b: 'string', 'c?': 'Date', a: 'number', d: "string = 'x'", e: 'bigint = 5n' }),
      object(
        field('a', number),
        field('b', string),
        optional('c', date),
        optional('d', string),
        optional('e', bigint),
      ),
    ],
    [
      'a type of a scope that writes references',
      scope({}, { toJsonSchema: { useRefs: true } }).type({ a: 'string' }),
      object(field('a', string)),
    ],
  ])('of %s', (_, schema, plan) => {
    expect(planOf(schema)).toEqual(plan)
  })

  it.each([
    ['branches that are booleans', [{ type: 'boolean' }, { const: true }, { type: 'boolean' }], boolean],
    [
      'arrays of plain values or a string',
      [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
      anyJson,
    ],
    [
      'tuples of plain values or a string',
      [{ type: 'array', minItems: 1, items: [{ type: 'string' }] }, { type: 'string' }],
      anyJson,
    ],
    [
      'open records of plain values or a string',
      [{ type: 'object', additionalProperties: { type: 'number' } }, { type: 'string' }],
      anyJson,
    ],
    [
      'objects of plain values or a string',
      [{ type: 'object', properties: { a: { enum: [1, 2] }, b: {} } }, { type: 'string' }],
      anyJson,
    ],
    ['a number or constants of several kinds', [{ type: 'number' }, { const: 1 }, { const: 'a' }], anyJson],
    ['a constant or an array', [{ const: 'none' }, { type: 'array' }], anyJson],
    [
      'constants, null among them',
      [{ enum: ['a', null] }, { const: 1 }],
      { ...constant('a', 1), nullable: true },
    ],
  ])('of %s', (_, branches, plan) => {
    expect(anyOf(...branches)).toEqual(plan)
    expect(planOfJson(() => ({ oneOf: branches }))).toEqual(plan)
  })

  const branch = (k: number, at: object) => ({
    type: 'object',
    properties: { k: { const: k }, at },
    required: ['k', 'at'],
  })
  const other = { type: 'string' }

  it.each<[string, string, (date: object) => object]>([
    ['a date or a string', 'date, string', (date) => ({ anyOf: [date, other] })],
    ['an array of dates', 'array, string', (items) => ({ anyOf: [{ type: 'array', items }, other] })],
    [
      'a tuple with a date',
      'tuple, string',
      (date) => ({ anyOf: [{ type: 'array', minItems: 2, items: [other, date] }, other] }),
    ],
    [
      'a record of dates',
      'record, string',
      (date) => ({ anyOf: [{ type: 'object', additionalProperties: date }, other] }),
    ],
    ['an object with a date', 'object, string', (date) => ({ anyOf: [branch(1, date), other] })],
    [
      'a union with a date',
      'union, string',
      (date) => ({ anyOf: [{ anyOf: [branch(1, other), branch(2, date)] }, other] }),
    ],
  ])('does not exist of %s, or a string', (_, kinds, build) => {
    expect(() => planOfJson(build)).toThrow(
      refusal(`a union of ${kinds}`, 'split other unions into several fields'),
    )
  })

  it('is of JSON for a union of plain objects with a discriminator, or a string', () => {
    expect(anyOf({ anyOf: [branch(1, other), branch(2, other)] }, other)).toEqual(anyJson)
  })

  it.each([
    ['a symbol', type('symbol'), 'a symbol', 'Leave the field out'],
    ['a constant bigint', type('5n'), 'the constant 5', 'Use its type instead'],
    ['a class', type.instanceOf(RegExp), 'an instance of RegExp', 'cache the plain fields'],
    ['a morph', type('string.trim'), 'a morph', 'Cache the output of the morph'],
    [
      'a symbol key',
      type({ a: 'string', [Symbol.for('key')]: 'string' }),
      'a symbol key',
      'Use a string key',
    ],
    ['open symbol keys', type({ '[symbol]': 'string' }), 'a symbol key', 'Use a string key'],
    [
      'an array with properties',
      type('string[]').and({ more: 'string' }),
      'an array with extra properties',
      'Make it an object',
    ],
    [
      'a tuple with an optional end',
      type(['string', 'number?']),
      'a tuple of variable length',
      'Use an array, or a tuple of fixed length',
    ],
    [
      'a tuple with an open end',
      type(['string', '...', 'number[]']),
      'a tuple of variable length',
      'Use an array, or',
    ],
    [
      'a tuple with an open middle',
      type(['string', '...', 'number[]', 'boolean']),
      'a tuple of variable length',
      'Use an array, or',
    ],
    [
      'named and open keys',
      type({ a: 'string', '[string]': 'string' }),
      'both named and open keys',
      'Put the open keys',
    ],
    [
      'open keys of several types',
      type({ '[/^at/]': 'Date', '[/^n/]': 'number' }),
      'an object whose open keys are of several types',
      'Give each type an object of its own',
    ],
    [
      'open keys of which some have another type',
      type({ '[string]': 'unknown', '[/^at/]': 'Date' }),
      'an object whose open keys are of several types',
      'or all open keys one type',
    ],
  ])('does not exist of %s', (_, schema, found, remedy) => {
    expect(() => planOf(schema)).toThrow(refusal(found, remedy))
    const within = type({ list: type({ at: [schema as never, 'string'] } as never).array() } as never)
    const path = 'list.__ARRAY__.at.0'
    expect(() => planOf(within)).toThrow(refusal(found, remedy, path))
    const values = type({ byName: { '[string]': schema as never } } as never)
    expect(() => planOf(values)).toThrow(refusal(found, remedy, 'byName.__RECORD__'))
  })

  const { list, tree, user } = scope({
    list: { value: 'Date', 'next?': 'list' },
    tree: { children: 'tree[]' },
    user: { name: 'string', team: 'team | null' },
    team: { at: 'Date', 'byName?': { '[string]': 'user' } },
  }).export()
  it.each([
    ['a list', list, 'next'],
    ['a tree', tree, 'children.__ARRAY__'],
    ['types that contain each other', user, 'team.byName.__RECORD__'],
    ['a field of such a type', type({ first: [list, 'string'] }), 'first.0.next'],
  ])('does not exist of a type that contains itself, with the field that does (%s)', (_, schema, path) => {
    const refused = refusal('a type that contains itself', 'Declare that field `json`', path)
    expect(() => planOf(schema)).toThrow(refused)
  })

  it('is that of a type to which two fields refer', () => {
    const text = { $ref: '#/definitions/text' }
    const properties = { a: text, b: text }
    const definitions = { text: { type: 'string' } }
    const twice = planOfJson(() => ({ type: 'object', properties, required: ['a', 'b'], definitions }))
    expect(twice).toEqual(object(field('a', string), field('b', string)))
  })
})
