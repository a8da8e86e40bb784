import { lotLookups, type Release } from '../../lots/lookups.ts'
import type { RecordedVersion } from '../../lots/lot-table.ts'
import type { Lot, Status } from '../../lots/lot.ts'
import type { Circumstances } from '../promises.ts'
import { checkLots, readsWrongAtRest } from './check-lots.ts'
import { LotLog, type LotWriteOfPod } from './lot-log.ts'

const calm: Circumstances = {
  fenceMs: 1_000,
  hearingMs: 0,
  losses: [],
  caughtUp: new Map<number, number[]>(),
}

interface State {
  readonly in?: string
  readonly lot?: string
  readonly order?: number
  readonly status?: Status
}

/** A row with a version for each write: [when its write returned, its state or that it is deleted]. Statements run 10 ms before. */
class World {
  readonly recorded: RecordedVersion[] = []
  readonly log = new LotLog()

  row(
    id: string,
    ...writes: readonly (readonly [returned: number, State | null, Partial<LotWriteOfPod>?])[]
  ) {
    let lot: Lot = { id, version: 0, fundraiserId: 'a', lot: id, sortOrder: 1, status: 'open' }
    for (const [i, [returned, state, options]] of writes.entries()) {
      const version = i + 1
      const tag = `${id} ${version}`
      const { in: fundraiserId = lot.fundraiserId, lot: place = lot.lot } = state ?? {}
      const { order: sortOrder = lot.sortOrder, status = lot.status } = state ?? {}
      lot = { id, version, fundraiserId, lot: place, sortOrder, status }
      this.recorded.push({
        id,
        version,
        lot: state && lot,
        transaction: tag,
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
      this.log.writes.push({ pod: 1, tag, deleted, written: 1, ...steps, ...options })
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
    const [release, name] = lookup.split('.') as [Release, string]
    const index = lotLookups.findIndex((one) => one.release === release && one.name === name)
    const lots = rows.map((row) => {
      const [id, version] = row.split('@')
      return this.recorded.find((one) => one.id === id && one.version === Number(version))!.lot!
    })
    this.log.addAnswers(pod, [[index, key, start, end, lots]])
    return this
  }

  found(circumstances = calm) {
    return checkLots(this.recorded, this.log, circumstances).violations.map(({ kind, id }) => `${kind} ${id}`)
  }
}

/** A pod that was killed before it could report. */
const NOBODY = -1
const LIST = 'current.ofFundraiser'
/** Rows x, y and z in this order. */
const three = () =>
  new World()
    .row('x', [10, { order: 1 }])
    .row('y', [10, { order: 2 }])
    .row('z', [10, { order: 3 }])
const UNFENCED = { fencedAt: undefined, isReleased: false }

describe('checkLots', () => {
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
    expect(world.read('current.open', 'a', [51, 52], ['x@1']).found()).toEqual(['extra x'])
    expect(world.read('current.open', 'a', [51, 52], []).found()).toEqual(['extra x'])
  })

  it('finds old values of a row that is still in the list', () => {
    const world = () => new World().row('x', [10, {}], [50, { status: 'sold' }])
    expect(world().read(LIST, 'a', [51, 52], ['x@1']).found()).toEqual(['stale x'])
    expect(world().read(LIST, 'a', [49, 52], ['x@1']).found()).toEqual([])
  })

  it('finds values that the row has never had together', () => {
    const world = new World().row('x', [10, {}])
    world.log.addAnswers(2, [[2, 'a', 11, 12, [{ ...world.recorded[0]!.lot!, sortOrder: 9 }]]])
    expect(world.found()).toEqual(['stale x'])
  })

  it('finds an old order, in either direction', () => {
    const moved = () =>
      new World().row('x', [10, { order: 1 }], [50, { order: 3 }]).row('y', [10, { order: 2 }])
    expect(moved().read(LIST, 'a', [51, 52], ['x@2', 'y@1']).found()).toEqual(['outOfOrder y'])
    expect(moved().read(LIST, 'a', [51, 52], ['y@1', 'x@2']).found()).toEqual([])
    expect(moved().read('other.ofFundraiser', 'a', [51, 52], ['x@2', 'y@1']).found()).toEqual([])
    expect(moved().read('other.ofFundraiser', 'a', [51, 52], ['y@1', 'x@2']).found()).toEqual([
      'outOfOrder x',
    ])
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
    const TOP = 'current.top'
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
    const PLACE = 'current.place'
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
      const caughtUp = { ...calm, caughtUp: new Map([[1, [70]]]) }
      expect(late().read(LIST, 'b', [71, 72], []).found(caughtUp)).toEqual(['missing x'])
      expect(late().read(LIST, 'b', [60, 61], []).found(caughtUp)).toEqual([])
    })

    it('allows its list to miss it even if a later write of the row is known', () => {
      const world = () =>
        new World().row('x', [10, {}], [50, { in: 'b' }, UNFENCED], [80, { status: 'sold' }])
      expect(world().read(LIST, 'b', [90, 91], []).found()).toEqual([])
      expect(world().read(LIST, 'b', [90, 91], ['x@2']).found()).toEqual(['stale x'])
      expect(world().read('other.top', 'b sold', [90, 91], []).found()).toEqual(['missing x'])
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
      const losses = [{ kind: 'flush', losesKeys: true, from: 44, to: 45 }]
      expect(sighted.found({ ...calm, losses })).toEqual([])
    })
  })

  it('attributes deletions in a transaction to the write whose tag it has elsewhere', () => {
    const world = new World().row('x', [10, {}], [50, null, { deleted: [] }]).row('y', [50, {}])
    const deletion = world.recorded.findIndex(({ lot }) => lot === null)
    world.recorded[deletion] = { ...world.recorded[deletion]!, transaction: 'y 1' }
    expect(world.read('before.id', 'x', [51, 52], ['x@1']).found()).toEqual(['extra x'])
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
    expect(checkLots(world.recorded, world.log, calm).lostWrites).toBe(1)
  })

  it('expects the last version of all rows at rest', () => {
    const world = new World().row('x', [10, {}], [50, { in: 'b' }, UNFENCED])
    world.read(LIST, 'a', [60, 61], ['x@1']).read(LIST, 'b', [60, 61], ['x@2'])
    expect(readsWrongAtRest(world.recorded, world.log.reads).map(({ key }) => key)).toEqual(['a'])
  })
})
