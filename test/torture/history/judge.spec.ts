import type { Lookup, Row, Version } from './rows.ts'
import { History } from './history.ts'
import { judge, readsWrongAtRest } from './judge.ts'
import type { Circumstances } from './promises.ts'

const lookups: readonly Lookup[] = [
  { name: 'id', by: ['id'] },
  { name: 'place', by: ['in', 'lot'] },
  { name: 'list', by: ['in'], order: 'asc' },
  { name: 'reversed', by: ['in'], order: 'desc' },
  { name: 'open', by: ['in'], statuses: ['open'], order: 'desc' },
  { name: 'top', by: ['in'], statuses: ['open', 'sold'], order: 'asc', limit: 3 },
  { name: 'ofStatus', by: ['in', 'status'], order: 'desc', limit: 2 },
]

const calm: Circumstances = { fenceMs: 1_000, hearingMs: 0, losses: [] }

interface State {
  readonly in?: string
  readonly lot?: string
  readonly order?: number
  readonly status?: 'open' | 'sold'
}

/** A row with a version for each write: [when its write returned, its state or that it is deleted]. Statements run 10 ms before. */
class World {
  readonly recorded: Version[] = []
  readonly log = new History(lookups)

  row(
    id: string,
    ...writes: readonly (readonly [returned: number, State | null, Partial<History['writes'][number]>?])[]
  ) {
    let row: Row = { id, version: 0, in: 'a', lot: id, sortOrder: 1, status: 'open' }
    for (const [i, [returned, state, options]] of writes.entries()) {
      const version = i + 1
      const tag = `${id} ${version}`
      const { order: sortOrder = row.sortOrder!, ...changed } = state ?? {}
      row = { ...row, ...changed, sortOrder, version }
      this.recorded.push({
        id,
        version,
        row: state && row,
        tag: state && tag,
        from: returned - 10,
      })
      if (options?.pod === NOBODY) continue
      const steps = {
        fencedAt: returned - 9,
        committedAt: returned - 5,
        releasedAt: returned,
        isReleased: true,
      }
      const deleted = state ? [] : [id]
      this.log.writes.push({ pod: 1, tag, versions: [], deleted, written: 1, ...steps, ...options })
    }
    return this
  }

  /** Rows as `id@version`. */
  read(
    lookup: string,
    key: string,
    [start, end]: readonly [number, number],
    rows: readonly string[],
    pod = 2,
  ) {
    const index = lookups.findIndex(({ name }) => name === lookup)
    const found = rows.map((row) => {
      const [id, version] = row.split('@')
      return this.recorded.find((one) => one.id === id && one.version === Number(version))!.row!
    })
    this.log.addAnswers(pod, [[index, key, start, end, found]])
    return this
  }

  found(circumstances = calm) {
    return judge(this.recorded, this.log, circumstances).violations.map(({ kind, id }) => `${kind} ${id}`)
  }
}

/** A pod that was killed before it could report. */
const NOBODY = -1
const LIST = 'list'
/** Rows x, y and z in this order. */
const three = () =>
  new World()
    .row('x', [10, { order: 1 }])
    .row('y', [10, { order: 2 }])
    .row('z', [10, { order: 3 }])
const UNFENCED = { fencedAt: undefined, isReleased: false }

describe('the judge, of lists and unique keys,', () => {
  it('allows lists with all rows in order', () => {
    expect(three().read(LIST, 'a', [11, 12], ['x@1', 'y@1', 'z@1']).found()).toEqual([])
  })

  it('finds a row that is missing, and one that never was in the list', () => {
    expect(three().read(LIST, 'a', [11, 12], ['x@1', 'z@1']).found()).toEqual(['missing y'])
    const other = three().row('b', [10, { in: 'b' }])
    expect(other.read(LIST, 'a', [11, 12], ['b@1', 'x@1', 'y@1', 'z@1']).found()).toEqual(['extra b'])
  })

  it('finds a row that is listed twice', () => {
    expect(three().read(LIST, 'a', [11, 12], ['x@1', 'x@1', 'y@1', 'z@1']).found()).toEqual(['extra x'])
  })

  it.each([
    ['with', ['x@1', 'y@1', 'z@1']],
    ['without', ['x@1', 'z@1']],
  ])('allows a list %s a row that is being created or deleted', (_, rows) => {
    const world = () => new World().row('x', [1, { order: 1 }]).row('z', [1, { order: 3 }])
    const entering = world().row('y', [10, { order: 2 }])
    expect(entering.read(LIST, 'a', [5, 8], rows).found()).toEqual([])
    const leaving = world().row('y', [1, { order: 2 }], [50, null])
    expect(leaving.read(LIST, 'a', [45, 60], rows).found()).toEqual([])
  })

  it.each<[string, State | null]>([
    ['was deleted', null],
    ['went to another list', { in: 'b' }],
    ['no longer fulfils the condition', { status: 'sold' }],
  ])('finds a row that %s before the read began', (_, state) => {
    const world = new World().row('x', [10, {}], [50, state])
    expect(world.read('open', 'a', [51, 52], ['x@1']).found()).toEqual(['extra x'])
    expect(world.read('open', 'a', [51, 52], []).found()).toEqual(['extra x'])
  })

  it('finds old values of a row that is still in the list', () => {
    const world = () => new World().row('x', [10, {}], [50, { status: 'sold' }])
    expect(world().read(LIST, 'a', [51, 52], ['x@1']).found()).toEqual(['stale x'])
    expect(world().read(LIST, 'a', [49, 52], ['x@1']).found()).toEqual([])
  })

  it('finds values that the row has never had together', () => {
    const world = new World().row('x', [10, {}])
    world.log.addAnswers(2, [[2, 'a', 11, 12, [{ ...world.recorded[0]!.row!, sortOrder: 9 }]]])
    expect(world.found()).toEqual(['stale x'])
  })

  it('finds an old order, in either direction', () => {
    const moved = () =>
      new World().row('x', [10, { order: 1 }], [50, { order: 3 }]).row('y', [10, { order: 2 }])
    expect(moved().read(LIST, 'a', [51, 52], ['x@2', 'y@1']).found()).toEqual(['outOfOrder y'])
    expect(moved().read(LIST, 'a', [51, 52], ['y@1', 'x@2']).found()).toEqual([])
    expect(moved().read('reversed', 'a', [51, 52], ['x@2', 'y@1']).found()).toEqual([])
    expect(moved().read('reversed', 'a', [51, 52], ['y@1', 'x@2']).found()).toEqual(['outOfOrder x'])
  })

  it.each([
    ['the old order', ['x@1', 'y@1']],
    ['the new order', ['y@1', 'x@2']],
    ['the old order with new values', ['x@2', 'y@1']],
  ])('allows %s while a row is moving', (_, rows) => {
    const moving = new World().row('x', [10, { order: 1 }], [50, { order: 3 }]).row('y', [10, { order: 2 }])
    expect(moving.read(LIST, 'a', [45, 46], rows).found()).toEqual([])
  })

  it('allows equal rows in any order', () => {
    const world = new World().row('x', [10, {}]).row('y', [10, {}])
    expect(world.read(LIST, 'a', [11, 12], ['y@1', 'x@1']).found()).toEqual([])
  })

  describe('with a limit of three rows', () => {
    const TOP = 'top'
    const four = () => three().row('w', [10, { order: 0 }], [50, { order: 4 }])

    it('allows rows beyond it to be left out, and no others', () => {
      expect(four().read(TOP, 'a', [51, 52], ['x@1', 'y@1', 'z@1']).found()).toEqual([])
      expect(four().read(TOP, 'a', [20, 30], ['w@1', 'x@1', 'y@1']).found()).toEqual([])
      expect(four().read(TOP, 'a', [20, 30], ['x@1', 'y@1', 'z@1']).found()).toEqual(['missing w'])
      expect(four().read(TOP, 'a', [51, 52], ['x@1', 'y@1', 'w@2']).found()).toEqual(['missing z'])
    })

    it('finds a list that is too short', () => {
      expect(four().read(TOP, 'a', [51, 52], ['x@1', 'y@1']).found()).toEqual(['missing z'])
    })

    it('allows either row while they change places at its end', () => {
      expect(four().read(TOP, 'a', [45, 46], ['w@1', 'x@1', 'y@1']).found()).toEqual([])
      expect(four().read(TOP, 'a', [45, 46], ['x@1', 'y@1', 'z@1']).found()).toEqual([])
    })
  })

  describe('of a unique key that passes from x to y', () => {
    const PLACE = 'place'
    const passed = () =>
      new World().row('x', [10, { lot: 'p' }], [50, { lot: 'q' }]).row('y', [10, {}], [50, { lot: 'p' }])

    it('allows either row meanwhile, or none', () => {
      for (const rows of [['x@1'], ['y@2'], []])
        expect(passed().read(PLACE, 'a p', [45, 46], rows).found()).toEqual([])
    })

    it('finds the old row and no row afterwards', () => {
      expect(passed().read(PLACE, 'a p', [51, 52], ['y@2']).found()).toEqual([])
      expect(passed().read(PLACE, 'a p', [51, 52], ['x@1']).found()).toEqual(['extra x'])
      expect(passed().read(PLACE, 'a p', [51, 52], []).found()).toEqual(['missing y'])
    })
  })

  describe('after a write without a fence, which Valkey has not heard of', () => {
    const late = () => new World().row('x', [10, {}], [50, { in: 'b' }, UNFENCED])

    it('allows other pods to miss it, but not the writer', () => {
      expect(late().read(LIST, 'b', [60, 61], []).found()).toEqual([])
      expect(late().read(LIST, 'a', [60, 61], ['x@1']).found()).toEqual([])
      expect(late().read(LIST, 'b', [60, 61], [], 1).found()).toEqual(['missing x'])
      expect(late().read(LIST, 'a', [60, 61], ['x@1'], 1).found()).toEqual(['extra x'])
    })

    it('expects all pods to see it when Valkey has', () => {
      const caughtUp = () => {
        const world = late()
        world.log.add(1, { kind: 'caughtUp', at: 70 })
        return world
      }
      expect(caughtUp().read(LIST, 'b', [71, 72], []).found()).toEqual(['missing x'])
      expect(caughtUp().read(LIST, 'b', [60, 61], []).found()).toEqual([])
    })

    it('allows its list to miss it even if a later write of the row is known', () => {
      const world = () =>
        new World().row('x', [10, {}], [50, { in: 'b' }, UNFENCED], [80, { status: 'sold' }])
      expect(world().read(LIST, 'b', [90, 91], []).found()).toEqual([])
      expect(world().read(LIST, 'b', [90, 91], ['x@2']).found()).toEqual(['stale x'])
      expect(world().read('ofStatus', 'b sold', [90, 91], []).found()).toEqual(['missing x'])
    })
  })

  describe('of a pod that was killed before it could report its write', () => {
    const killed = () => new World().row('x', [10, {}], [50, { in: 'b' }, { pod: NOBODY }])

    it('expects it once it has been sighted', () => {
      expect(killed().read(LIST, 'b', [60, 61], []).found()).toEqual([])
      const sighted = killed().read(LIST, 'b', [60, 61], [])
      sighted.log.sightings.push({ id: 'x', version: 2, at: 55 })
      expect(sighted.found()).toEqual(['missing x'])
    })

    it('expects nothing if Valkey may have lost its fence', () => {
      const sighted = killed().read(LIST, 'b', [60, 61], [])
      sighted.log.sightings.push({ id: 'x', version: 2, at: 55 })
      const losses = [{ from: 44, to: 45 }]
      expect(sighted.found({ ...calm, losses })).toEqual([])
    })
  })

  it('gives other pods with an L1 time to hear of a write', () => {
    const heard = { ...calm, hearingMs: 100 }
    const world = () => new World().row('x', [10, {}], [50, { in: 'b' }])
    expect(world().read(LIST, 'b', [149, 150], []).found(heard)).toEqual([])
    expect(world().read(LIST, 'b', [151, 152], []).found(heard)).toEqual(['missing x'])
    expect(world().read(LIST, 'b', [51, 52], [], 1).found(heard)).toEqual(['missing x'])
  })

  describe('of one pod, while a row moves to another list', () => {
    const moving = () => new World().row('x', [10, {}], [100, { in: 'b' }])

    it.each<[string, (world: World) => World, string]>([
      [
        'shows it and then does not',
        (w) => w.read(LIST, 'b', [91, 92], ['x@2']).read(LIST, 'b', [93, 94], []),
        'x',
      ],
      [
        'lacks it and then shows it',
        (w) => w.read(LIST, 'a', [91, 92], []).read(LIST, 'a', [93, 94], ['x@1']),
        'x',
      ],
      [
        'has it in the new list and then in the old one',
        (w) => w.read(LIST, 'b', [91, 92], ['x@2']).read(LIST, 'a', [93, 94], ['x@1']),
        'x',
      ],
    ])('finds that it goes back in time: it %s', (_, read, id) => {
      expect(read(moving()).found()).toEqual([`backInTime ${id}`])
    })

    it('allows overlapping reads to differ, and reads of other pods', () => {
      const overlapping = moving().read(LIST, 'b', [91, 94], ['x@2']).read(LIST, 'b', [93, 94], [])
      expect(overlapping.found()).toEqual([])
      const others = moving().read(LIST, 'b', [91, 92], ['x@2']).read(LIST, 'b', [93, 94], [], 3)
      expect(others.found()).toEqual([])
    })
  })

  it('counts confirmed writes that the database does not have', () => {
    const world = three()
    world.recorded.splice(0, 1)
    expect(judge(world.recorded, world.log, calm).lostWrites).toBe(1)
  })

  it('expects the last version of all rows at rest', () => {
    const world = new World().row('x', [10, {}], [50, { in: 'b' }, UNFENCED])
    world.read(LIST, 'a', [60, 61], ['x@1']).read(LIST, 'b', [60, 61], ['x@2'])
    expect(readsWrongAtRest(world.recorded, world.log.reads).map(({ key }) => key)).toEqual(['a'])
  })
})

describe('the judge, of rows by id,', () => {
  type ReadOfRow = readonly [pod: number, revision: number, start: number, end: number]

  /** Pod 1 writes versions 2 and 3 of a row; Valkey does not take the invalidation of the second. */
  function world(...reads: readonly ReadOfRow[]) {
    const late = { fencedAt: undefined, committedAt: 195, isReleased: false }
    const found = new World().row('x', [-90, {}, { pod: NOBODY }], [100, {}], [200, {}, late])
    for (const [pod, version, start, end] of reads) found.read('id', 'x', [start, end], [`x@${version}`], pod)
    return found
  }
  const violationsOf = ({ log, recorded }: World, circumstances = calm) =>
    judge(recorded, log, circumstances).violations.map(({ kind, isOwn, expected, pod }) => ({
      kind,
      pod,
      isOwn,
      expected,
    }))

  it('allows reads that began before a write returned', () => {
    expect(violationsOf(world([1, 1, 99, 150], [2, 1, 100, 150], [2, 2, 101, 150]))).toEqual([])
  })

  it('finds reads of any pod behind a fenced write that had returned', () => {
    expect(violationsOf(world([2, 1, 101, 102]))).toEqual([
      { kind: 'stale', pod: 2, isOwn: false, expected: 2 },
    ])
  })

  it('finds reads of the writer behind its unfenced write, and counts those of other pods', () => {
    const found = world([1, 2, 201, 202], [2, 2, 230, 231])
    expect(violationsOf(found)).toEqual([{ kind: 'stale', pod: 1, isOwn: true, expected: 3 }])
    expect(judge(found.recorded, found.log, calm)).toMatchObject({
      lateWrites: 1,
      behindLate: 1,
      longestBehindMs: 30,
    })
  })

  it('finds reads that go back in time on one pod, unless they overlap', () => {
    expect(violationsOf(world([2, 2, 96, 97], [2, 1, 98, 99]))).toEqual([
      { kind: 'backInTime', pod: 2, isOwn: false, expected: 2 },
    ])
    expect(violationsOf(world([2, 2, 96, 97], [3, 1, 98, 99]))).toEqual([])
    expect(violationsOf(world([2, 2, 96, 98], [2, 1, 97, 99]))).toEqual([])
  })

  it('finds reads by another cache of the pod that has had time to hear of the write', () => {
    const found = world([2, 2, 96, 97]).read('place', 'a x', [98, 99], ['x@1'])
    expect(violationsOf(found)).toEqual([{ kind: 'backInTime', pod: 2, isOwn: false, expected: 2 }])
    expect(violationsOf(found, { ...calm, hearingMs: 10 })).toEqual([])
  })

  it('allows a pod to fall behind an unfenced write', () => {
    expect(violationsOf(world([2, 3, 196, 197], [2, 2, 198, 199]))).toEqual([])
    expect(violationsOf(world([2, 3, 196, 197], [2, 1, 198, 199]))).toEqual([
      { kind: 'stale', pod: 2, isOwn: false, expected: 2 },
    ])
  })

  it('finds a row that is not found', () => {
    const found = new World().row('x', [10, {}]).read('id', 'x', [11, 12], [])
    expect(found.found()).toEqual(['missing x'])
  })

  it('attributes versions to the writes whose results name them', () => {
    const found = new World().row('x', [10, {}])
    found.recorded[0] = { ...found.recorded[0]!, tag: null }
    expect(judge(found.recorded, found.log, calm).lostWrites).toBe(1)
    found.log.writes[0] = { ...found.log.writes[0]!, versions: [['x', 1]] }
    expect(judge(found.recorded, found.log, calm).lostWrites).toBe(0)
    expect(found.read('id', 'x', [11, 12], []).found()).toEqual(['missing x'])
  })
})

describe('a version without a confirmed write', () => {
  const unknownEnd = { ids: ['x'], fencedAt: 5_100, committedAt: 5_150, releasedAt: 5_160, isReleased: true }

  /** Whether its first sight, at 5,900, obliges later reads. It was written at 5,140, and replaced at 6,010. */
  function obliges(
    unknownEnds: readonly (Omit<typeof unknownEnd, 'fencedAt'> & { fencedAt: number | undefined })[],
    circumstances = calm,
  ): boolean {
    const world = new World().row(
      'x',
      [5_020, {}],
      [5_150, {}, { pod: NOBODY }],
      [6_020, {}, { pod: NOBODY }],
    )
    world.log.sightings.push({ id: 'x', version: 2, at: 5_900 })
    for (const write of unknownEnds) world.log.add(1, { kind: 'unknownEnd', write })
    return world.read('id', 'x', [5_950, 5_951], ['x@1']).found(circumstances).length > 0
  }
  const lossAt = (from: number) => ({ ...calm, losses: [{ from, to: from + 1 }] })

  it('obliges all once it is sighted, also one of a killed pod', () => {
    expect([obliges([unknownEnd]), obliges([])]).toEqual([true, true])
  })

  it.each([
    ['without a fence', { fencedAt: undefined }],
    ['whose fence may have expired before its end', { releasedAt: 6_200 }],
    ['whose end the store did not take', { isReleased: false }],
  ])('obliges nobody if it may be of a write of unknown end %s', (_, change) => {
    expect(obliges([unknownEnd, { ...unknownEnd, ...change }])).toBe(false)
    expect(obliges([unknownEnd, { ...unknownEnd, ...change, ids: ['y'] }])).toBe(true)
  })

  it('obliges all if an unfenced write of unknown end ended before, or began later', () => {
    const unfenced = { ...unknownEnd, fencedAt: undefined }
    const earlier = { ...unfenced, committedAt: 3_000, releasedAt: 3_010 }
    const later = { ...unfenced, committedAt: 9_000, releasedAt: 9_010 }
    expect(obliges([earlier, later])).toBe(true)
  })

  it('obliges nobody if Valkey may have lost its fence before the commit', () => {
    const losses = [4_139, 5_899, 4_138, 5_901].map((at) => obliges([], lossAt(at)))
    expect(losses).toEqual([false, false, true, true])
  })

  it('obliges other pods with an L1 when they have had time to hear of it', () => {
    expect(obliges([], { ...calm, hearingMs: 100 })).toBe(false)
  })
})
