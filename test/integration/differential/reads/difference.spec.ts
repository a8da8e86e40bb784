import { Prisma } from './client/client.ts'
import { differenceOf, objectsIn, spoil } from './difference.ts'

const { Decimal } = Prisma
const row = () => ({
  id: 1,
  at: new Date(0),
  price: new Decimal('1.50'),
  bytes: new Uint8Array([1, 2]),
  tags: [{ name: 'red' }],
  note: null as string | null,
  ratio: 0,
})
const error = (meta?: object) =>
  new Prisma.PrismaClientKnownRequestError('not found', {
    code: 'P2025',
    clientVersion: '7',
    ...(meta && { meta: { ...meta } }),
  })

it('finds no difference between equal results', () => {
  expect(differenceOf([row(), row()], [row(), row()])).toBeUndefined()
  expect(differenceOf(error({ modelName: 'Tag' }), error({ modelName: 'Tag' }))).toBeUndefined()
})

it.each<[string, unknown, unknown]>([
  ['result.at', row(), { ...row(), at: new Date(0).toISOString() }],
  ['result.at', row(), { ...row(), at: new Date(1) }],
  ['result.price', row(), { ...row(), price: '1.5' }],
  ['result.price', row(), { ...row(), price: new Decimal('1.51') }],
  ['result.price', row(), { ...row(), price: new (Decimal.clone())('1.5') }],
  ['result.bytes', row(), { ...row(), bytes: Buffer.from([1, 2]) }],
  ['result.bytes', row(), { ...row(), bytes: new Uint8Array([1, 3]) }],
  ['result.bytes', row(), { ...row(), bytes: new Uint8Array([0, 1, 2]).subarray(1) }],
  ['result.ratio', row(), { ...row(), ratio: -0 }],
  ['result.id', row(), { ...row(), id: 1n }],
  ['result.note', row(), { ...row(), note: undefined }],
  ['result has the keys', row(), { ...row(), extra: undefined }],
  ['result has the keys', row(), (({ at, ...rest }) => ({ ...rest, at }))(row())],
  ['result has the prototype', row(), Object.assign(Object.create(null) as object, row())],
  ['result is not extensible', row(), Object.freeze(row())],
  ['result.id', row(), Object.defineProperty(row(), 'id', { enumerable: false })],
  ['result.id', row(), Object.defineProperty(row(), 'id', { writable: false })],
  ['result.id', row(), Object.defineProperty(row(), 'id', { get: () => 1 })],
  ['result.tags[0].name', row(), { ...row(), tags: [{ name: 'Red' }] }],
  ['result has the keys', [row(), row()], [row()]],
  ['result[1] shares an object', [row(), row()], Array.from<object>({ length: 2 }).fill(row())],
  ['result.message', error(), Object.assign(error(), { message: 'missing' })],
  ['result.code', error(), Object.assign(error(), { code: 'P2001' })],
  ['result.meta', error({ modelName: 'Tag' }), error()],
  ['result.meta.modelName', error({ modelName: 'Tag' }), error({ modelName: 'Word' })],
  ['result has the prototype', error(), new Error('not found')],
])('finds a difference at %s', (where, expected, actual) => {
  expect(differenceOf(expected, actual)).toContain(where)
})

it('finds an object that is part of both results', () => {
  const shared = row()
  expect(differenceOf([shared], [shared])).toContain('the same object')
})

it('changes everything that can be changed in a result', () => {
  const result = row()
  const { at, bytes, tags } = result
  const [tag] = tags
  spoil([result])
  expect([at.getTime(), [...bytes], tags, tag]).toEqual([
    0,
    [0x5e, 0x5e],
    ['spoilt'],
    { name: 'spoilt', spoilt: true },
  ])
  expect(Object.values(result).every((value) => value === 'spoilt' || value === (true as unknown))).toBe(true)
  expect(objectsIn(row()).size).toBe(8)
})
