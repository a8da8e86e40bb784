import { describeSchemaText } from '../schema/describe-schema.js'
import { noteLoaded, ResultShapes } from './result-shapes.js'

const { models } = describeSchemaText(`
datasource db { provider = "postgresql" }
model Lot {
  id       Int     @id
  category String
  price    Decimal
}`)

const sums = {
  model: 'Lot',
  action: 'groupBy',
  args: { by: ['category'], _sum: { price: true }, _count: true, where: { category: { not: 'secret' } } },
  models: new Set(['Lot']),
}
const shapeOfSums = {
  by: ['category'],
  _sum: { price: true },
  _count: true,
  where: { category: { not: '?' } },
}

it('counts queries by their shapes, without values', () => {
  const shapes = new ResultShapes(models)
  const counted = shapes.of(sums)
  counted.count += 3
  shapes.of({ ...sums, args: { ...sums.args, where: { category: { not: 'other' } } } }).count++
  expect(shapes.all()).toEqual([
    {
      model: 'Lot',
      action: 'groupBy',
      args: shapeOfSums,
      models: ['Lot'],
      count: 4,
      loads: 0,
      left: 0,
      refused: 0,
      length: null,
      loadedAgoMs: null,
    },
  ])
})

it('counts loads, with the length of the last one that is stored', () => {
  const shapes = new ResultShapes(models)
  const counted = shapes.of(sums)
  noteLoaded(counted, 120)
  noteLoaded(counted, undefined)
  expect(shapes.all()).toEqual([
    expect.objectContaining({ loads: 2, refused: 1, length: 120, loadedAgoMs: expect.any(Number) }),
  ])
})

it('keeps the sums of shapes that are dropped, and all of their models', () => {
  const shapes = new ResultShapes(models)
  const take = (n: number, other: string) =>
    shapes.of({ model: 'Lot', action: 'findMany', args: argsOf(n), models: new Set(['Lot', other]) })
  for (let n = 0; n < 2_000; n++) {
    const counted = take(n, `Other${n % 2}`)
    counted.count++
    noteLoaded(counted, n)
  }
  const all = shapes.all()
  expect(all.length).toBeLessThanOrEqual(1_001)
  expect(all.reduce((sum, { loads }) => sum + loads, 0)).toBe(2_000)
  const dropped = all.find(({ args }) => !args)!
  expect(dropped.models.toSorted()).toEqual(['Lot', 'Other0', 'Other1'])
  expect(dropped.count).toBe(dropped.loads)
})

const sizes = [1, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** The arguments of one of 2,187 shapes. */
function argsOf(n: number): object {
  const flag = (digit: number): boolean | undefined => [true, false, undefined][digit % 3]
  return {
    take: sizes[n % 9],
    skip: sizes[Math.floor(n / 9) % 9],
    select: {
      id: flag(Math.floor(n / 81)),
      category: flag(Math.floor(n / 243)),
      price: flag(Math.floor(n / 729)),
    },
  }
}
