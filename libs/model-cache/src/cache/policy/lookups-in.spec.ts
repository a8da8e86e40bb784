import { lookupsIn } from './lookups-in.js'

describe('the options of lookups', () => {
  it('are brought into one form', () => {
    const [place, email, some] = lookupsIn('Car', {
      unique: { place: ['a', 'b'], email: { by: 'c', fold: 'case' } },
      lists: { some: { by: 'a', orderBy: { b: 'asc' }, where: { c: null }, limit: 5, maxRows: 7 } },
    })
    const common = { through: undefined, where: {}, orderBy: [], limit: undefined, maxRows: 1_000 }
    expect([place, email, some]).toEqual([
      { ...common, name: 'place', kind: 'unique', by: ['a', 'b'], isCompound: true, comparesText: undefined },
      {
        ...common,
        name: 'email',
        kind: 'unique',
        by: ['c'],
        isCompound: false,
        comparesText: 'without case',
      },
      {
        name: 'some',
        kind: 'list',
        by: ['a'],
        isCompound: false,
        through: undefined,
        where: { c: null },
        orderBy: [{ b: 'asc' }],
        limit: 5,
        maxRows: 7,
        comparesText: undefined,
      },
    ])
    expect(lookupsIn('Car', { lists: { a: { through: 'tags', caseSensitive: true } } })).toMatchObject([
      { by: [], isCompound: false, through: 'tags', comparesText: 'exactly' },
    ])
    expect(lookupsIn('Car', {})).toEqual([])
  })

  it('are taken as they are at the call', () => {
    const by = ['house']
    const where = { sold: { in: [new Date(1)] } }
    const orderBy = [{ place: 'asc' }]
    const options = { lists: { sold: { by, where, orderBy } } }
    const [lookup] = lookupsIn('Lot', options)
    const before = structuredClone(lookup)
    by.push('place')
    where.sold.in[0]!.setTime(2)
    orderBy.pop()
    expect(lookup).toEqual(before)
  })

  it('may say how a list is sorted, limited and compared, and have no prototype', () => {
    const of = Object.assign(Object.create(null) as object, { by: 'id', maxRows: 1 })
    const [one, other] = lookupsIn('Car', {
      lists: { of, fold: { by: 'id', fold: 'case', limit: 10_000, orderBy: [{ b: 'asc' }, { c: 'desc' }] } },
    })
    expect(one).toMatchObject({ maxRows: 1 })
    expect(other).toMatchObject({ limit: 10_000, comparesText: 'without case' })
    expect(other!.orderBy).toEqual([{ b: 'asc' }, { c: 'desc' }])
  })

  const list = (options: object) => ({ lists: { a: options } })

  it.each([
    [{ unique: { 'a b': 'id' } }, 'option "Car.unique.a b" is "a b"; expected a name of letters'],
    [{ unique: { a: 5 } }, 'option "Car.unique.a" is 5; expected an object'],
    [{ unique: { a: { by: 'id', limit: 5 } } }, 'option "Car.unique.a.limit" is 5; expected one of by, fold'],
    [{ unique: { a: { by: 'id', orderBy: [] } } }, 'expected one of by, fold, caseSensitive'],
    [list({ by: ['id', 5] }), 'option "Car.lists.a.by" is an array of 2; expected a field'],
    [list({ by: 5 }), 'option "Car.lists.a.by" is 5; expected a field'],
    [{ lists: 'a' }, 'option "Car.lists" is "a"; expected an object'],
    [{ lists: new Map() }, 'option "Car.lists"'],
    [{ unique: { a: [] } }, 'option "Car.unique.a.by" is an array of 0; expected a field'],
    [{ unique: { a: ['id', 'id'] } }, 'option "Car.unique.a.by" is an array of 2; expected a field'],
    [
      { unique: { a: 'id' }, lists: { a: { by: 'id' } } },
      'option "Car.lists.a" is "a"; expected a name that `unique`',
    ],
    [{ lists: { a: undefined } }, 'option "Car.lists.a" is undefined; expected an object'],
    [{ lists: { a: null } }, 'option "Car.lists.a" is null; expected an object'],
    [list({}), 'option "Car.lists.a.by" is undefined; expected a field'],
    [list({ by: 'id', orderby: [] }), 'option "Car.lists.a.orderby" is an array of 0; expected one of by'],
    [list({ by: 'id', where: 'x' }), 'option "Car.lists.a.where" is "x"; expected an object'],
    [list({ by: 'id', orderBy: ['id'] }), 'option "Car.lists.a.orderBy" is "id"; expected an object'],
    [
      list({ by: 'id', limit: 0 }),
      'option "Car.lists.a.limit" is 0; expected a whole number from 1 to 10000',
    ],
    [list({ by: 'id', limit: 1.5 }), 'option "Car.lists.a.limit" is 1.5'],
    [list({ by: 'id', maxRows: 10_001 }), 'option "Car.lists.a.maxRows" is 10001; expected a whole number'],
    [list({ by: 'id', fold: true }), 'option "Car.lists.a.fold" is true; expected \'case\''],
    [list({ by: 'id', caseSensitive: false }), 'option "Car.lists.a.caseSensitive" is false; expected true'],
    [list({ by: 'id', fold: 'case', caseSensitive: true }), 'to stand without `caseSensitive`'],
    [list({ by: 'id', through: 'drivers' }), 'option "Car.lists.a.by" is "id"; expected to be left out'],
    [list({ through: 5 }), 'option "Car.lists.a.through" is 5; expected the name of a relation'],
  ])('refuse %j', (options, message) => {
    expect(() => lookupsIn('Car', options)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
    expect(() => lookupsIn('Car', options)).toThrow(message)
  })
})
