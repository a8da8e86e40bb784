import { Refusals, literalShapeOf, type ShapeRefusal, type Unplanned } from './refusals.js'

describe('the shape of arguments', () => {
  it('is the same for other values of conditions, and else another', () => {
    const where = {
      name: { contains: 'a' },
      rank: { gt: 1 },
      at: new Date(1),
      OR: [{ id: 1n }, { id: null }],
    }
    const other = {
      name: { contains: 'b' },
      rank: { gt: 2 },
      at: new Date(2),
      OR: [{ id: 2n }, { id: null }],
    }
    expect(literalShapeOf({ where })).toBe(literalShapeOf({ where: other }))
    for (const args of [
      { where: { ...where, rank: { lt: 1 } } },
      { where: { ...where, rank: { gt: '1' } } },
      { where: { ...where, OR: [{ id: 1n }] } },
      { where, take: 1 },
      { where, orderBy: { id: 'asc' } },
    ])
      expect(literalShapeOf(args)).not.toBe(literalShapeOf({ where }))
    const page = (take: number, order: string) =>
      literalShapeOf({ take, orderBy: [{ id: order }], include: { bids: true } })
    expect(page(1, 'asc')).not.toBe(page(2, 'asc'))
    expect(page(1, 'asc')).not.toBe(page(1, 'desc'))
    const nested = (id: number) =>
      literalShapeOf({ include: { bids: { where: { id }, take: 1 } }, cursor: { id } })
    expect(nested(1)).toBe(nested(2))
  })

  it('has the elements of lists in conditions once, and whether there are several', () => {
    const any = (...OR: object[]) => literalShapeOf({ where: { OR } })
    expect(any({ id: 1 }, { id: 2 })).toBe(any({ id: 3 }, { id: 4 }, { id: 5 }))
    expect(any({ id: 1 }, { slug: 'a' })).toBe(any({ id: 1 }, { slug: 'b' }, { id: 2 }))
    for (const other of [any(), any({ id: 1 }), any({ id: 1 }, { slug: 'a' })])
      expect(other).not.toBe(any({ id: 1 }, { id: 2 }))
    const by = (...orderBy: object[]) => literalShapeOf({ orderBy })
    expect(by({ id: 'asc' }, { id: 'asc' })).not.toBe(by({ id: 'asc' }, { id: 'asc' }, { id: 'asc' }))
  })

  it('is another one whatever the names in JSON are, which users may have chosen', () => {
    const asked = { where: { json: { equals: { a: 'b' } }, author: { is: { name: 'c' } } } }
    const name = 'a:text,},},author:{is:{name'
    expect(literalShapeOf({ where: { json: { equals: { [name]: 'b' } } } })).not.toBe(literalShapeOf(asked))
  })

  it.each<[string, unknown]>([
    ['an instance of a class', { where: { id: new Map() } }],
    ['a function', { where: { id: () => 1 } }],
    ['a long list', { where: { id: { in: Array.from({ length: 101 }, (_, i) => i) } } }],
    ['a long value of JSON', { where: { json: { equals: { ['a'.repeat(10_000)]: 1 } } } }],
    ['a list with an instance', { where: { id: { in: [new Map()] } } }],
  ])('is unknown of %s', (_, args) => {
    expect(literalShapeOf(args as never)).toBeUndefined()
  })
})

describe('queries that are not answered', () => {
  const params = { model: 'Post', action: 'findMany', clientMethod: 'post.findMany', dataPath: [] }
  let planned = 0
  const query = (refusals: Refusals, answer: object, args: object = { where: { name: 'a' } }) => {
    const found = refusals.plan({ args: args as never, params }, () => {
      planned++
      return answer as Unplanned
    })
    if ('reason' in found && found.refusal) found.refusal.counted ??= { count: 1 }
    return found
  }
  const refused = { reason: 'condition' } as const
  /** How many of some queries were planned. */
  const plannedOf = (run: () => void): number => {
    planned = 0
    run()
    return planned
  }
  const times = (count: number, run: () => void): void => {
    for (let i = 0; i < count; i++) run()
  }

  it('are passed on after three of their shape, and planned again now and then', () => {
    const refusals = new Refusals()
    expect(plannedOf(() => times(3, () => query(refusals, refused)))).toBe(3)
    expect(plannedOf(() => times(63, () => query(refusals, refused)))).toBe(0)
    expect(plannedOf(() => query(refusals, refused))).toBe(1)
    expect(query(refusals, refused)).toMatchObject({ reason: 'condition' })
    expect(plannedOf(() => query(refusals, refused, { where: { other: 'a' } }))).toBe(1)
  })

  it('are planned as long as some of their shape are answered, or for another reason', () => {
    const refusals = new Refusals()
    times(2, () => query(refusals, refused))
    query(refusals, {})
    expect(plannedOf(() => times(3, () => query(refusals, refused)))).toBe(3)
    const others = new Refusals()
    times(2, () => query(others, refused))
    expect(plannedOf(() => times(3, () => query(others, { reason: 'order' })))).toBe(3)
  })

  it.each(['id_value', 'too_many_ids', 'costs', 'argument'])(
    'are planned each time for the reason %s',
    (reason) => {
      const refusals = new Refusals()
      expect(plannedOf(() => times(9, () => query(refusals, { reason })))).toBe(9)
    },
  )

  it('are passed on unplanned where the database has answered three of their shape for less', () => {
    const refusals = new Refusals()
    const given = { args: { where: { name: 'a' } } as never, params }
    const leave = (): void => void (refusals.leave(given)!.counted = { count: 1 })
    const isPassedOn = (): boolean =>
      'reason' in
      refusals.plan(given, (left) => {
        seen = left
        return {}
      })
    let seen: ShapeRefusal | undefined
    isPassedOn()
    times(2, leave)
    expect(isPassedOn()).toBe(false)
    leave()
    expect(Array.from({ length: 64 }, isPassedOn)).toEqual([...Array<boolean>(63).fill(true), false])
    expect(refusals.plan(given, () => ({}))).toMatchObject({ reason: 'costs', args: given.args })
    // One of their shape that a cache answers has the next ones planned.
    seen!.forget()
    expect(isPassedOn()).toBe(false)
    expect(refusals.leave({ args: { where: { id: new Map() } } as never, params })).toBeUndefined()
  })

  it('are passed on whatever others are sent between them, such as pages of which each is another one', () => {
    const refusals = new Refusals()
    times(3, () => query(refusals, refused))
    const other = (skip: number): void => void query(refusals, refused, { skip })
    expect(plannedOf(() => Array.from({ length: 3_000 }, (_, skip) => other(skip)))).toBe(3_000)
    times(3, () => query(refusals, refused))
    for (let skip = 0; skip < 60; skip++) {
      for (let page = 0; page < 100; page++) other(10_000 + 100 * skip + page)
      expect(plannedOf(() => query(refusals, refused))).toBe(0)
    }
  })

  it('are planned again if there are too many shapes', () => {
    const refusals = new Refusals()
    times(4, () => query(refusals, refused))
    expect(plannedOf(() => query(refusals, refused))).toBe(0)
    for (let i = 0; i < 1_001; i++) query(refusals, refused, { where: { [`field${i}`]: 1 } })
    expect(plannedOf(() => query(refusals, refused))).toBe(1)
  })
})
