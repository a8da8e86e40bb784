import { jest } from '@jest/globals'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { Slicer, unfinished } from './slicer.js'

let busy: (ms: number) => void
beforeEach(() => (busy = manualClock().pass))
afterEach(() => jest.restoreAllMocks())
const ignore = (): void => {}

/** Counts turns of the event loop until the end of the test. */
function countTurns(others = ignore): { count: number } {
  const turns = { count: 0 }
  const onTurn = (): void => {
    turns.count++
    others()
    immediate = setImmediate(onTurn)
  }
  immediate = setImmediate(onTurn)
  return turns
}
let immediate: NodeJS.Immediate | undefined
afterEach(() => clearImmediate(immediate))

describe('Slicer', () => {
  it('visits each item once, in order, after the current call', async () => {
    const slicer = new Slicer()
    const seen: number[] = []
    const items = Array.from({ length: 100 }, (_, i) => i)
    const all = slicer.each(items, (item) => seen.push(item), ignore)
    expect(seen).toEqual([])
    await all
    expect(seen).toEqual(items)
  })

  it('finishes small work in the current turn', async () => {
    let isNextTurn = false
    setImmediate(() => (isNextTurn = true))
    await new Slicer({ budgetMs: 1_000 }).each(Array(100).fill(0), ignore, ignore)
    expect(isNextTurn).toBe(false)
  })

  it('fills a turn once, not both before and among its immediates', async () => {
    const slicer = new Slicer({ budgetMs: 2 })
    const visitedInTurn = Promise.withResolvers<number>()
    let visited = 0
    let all: Promise<void> | undefined
    setTimeout(() => {
      const visit = (): void => {
        busy(1.5)
        visited++
      }
      all = slicer.each(Array(8).fill(0), visit, ignore)
      setImmediate(() => visitedInTurn.resolve(visited))
    })
    expect(await visitedInTurn.promise).toBeLessThanOrEqual(2)
    await all
  })

  it.each([
    ['one turn to others, and fills the next', 0, { between: 2, filledMs: 6 }],
    ['one turn to others that is short', 0.25, { between: 2, filledMs: 6 }],
    ['another turn after a longer one, which counts', 1, { between: 3, filledMs: 3 }],
    ['another turn after a long one, and works for a quarter of its budget', 9, { between: 3, filledMs: 2 }],
  ])('leaves %s', async (_, othersMs, { between, filledMs }) => {
    const slicer = new Slicer({ budgetMs: 8 })
    const turns = countTurns(() => busy(othersMs))
    const visitsByTurn = new Map<number, number>()
    const visit = (): void => {
      busy(1)
      visitsByTurn.set(turns.count, (visitsByTurn.get(turns.count) ?? 0) + 1)
    }
    await slicer.each(Array(32).fill(0), visit, ignore)
    const filled = [...visitsByTurn].slice(1, -1)
    expect(filled.length).toBeGreaterThan(3)
    expect(new Set(filled.map(([, visits]) => visits))).toEqual(new Set([filledMs]))
    const distances = filled.slice(1).map(([turn], i) => turn - filled[i]![0])
    expect(new Set(distances)).toEqual(new Set([between]))
  })

  it('lets callers run after sixteen items, however many jobs there are', async () => {
    const slicer = new Slicer({ budgetMs: 2 })
    let [atOnce, most] = [0, 0]
    const visit = (): void => {
      most = Math.max(most, ++atOnce)
      void Promise.resolve().then(() => (atOnce = 0))
    }
    const light = () => slicer.each(Array(64).fill(0), visit, ignore)
    await Promise.all([light(), light()])
    expect(most).toBe(16)
    // Also those that begin within an item of a turn that is filled.
    let later: Promise<void> | undefined
    const heavy = (_: unknown, index: number): void => {
      busy(0.75)
      if (index === 1) later = light()
    }
    await slicer.each([0, 1], heavy, ignore)
    await later
    expect(most).toBe(16)
  })

  it('counts the promise callbacks of callers against the budget', async () => {
    const slicer = new Slicer({ budgetMs: 2 })
    const turns = countTurns()
    const callers = Array.from({ length: 64 }, () => Promise.withResolvers<void>())
    const answered = callers.map(({ promise }) => promise.then(() => busy(0.5)))
    await slicer.each(callers, ({ resolve }) => resolve(), ignore)
    await Promise.all(answered)
    // 32 ms of callbacks, 8 ms per burst of 16 items: they cannot fit into one turn.
    expect(turns.count).toBeGreaterThanOrEqual(3)
  })

  it('visits an unfinished item again after the callers of its first part have run', async () => {
    const order: string[] = []
    const parts = [2, 1]
    const visit = (item: number): unknown => {
      order.push(`part of ${item}`)
      void Promise.resolve().then(() => order.push('caller'))
      return --parts[item]! > 0 ? unfinished : undefined
    }
    await new Slicer().each([0, 1], visit, ignore)
    expect(order.slice(0, 4)).toEqual(['part of 0', 'caller', 'part of 0', 'part of 1'])
  })

  it('shares the budget of a turn among all jobs', async () => {
    const slicer = new Slicer({ budgetMs: 2 })
    const turns = countTurns()
    const turnsSeen = new Set<number>()
    const work = () =>
      slicer.each(
        Array(4).fill(0),
        () => {
          busy(1)
          turnsSeen.add(turns.count)
        },
        ignore,
      )
    await Promise.all([work(), work(), work()])
    expect(turnsSeen.size).toBeGreaterThanOrEqual(4)
  })

  it('does not lengthen a turn for work that comes later in it', async () => {
    const slicer = new Slicer({ budgetMs: 8 })
    const turns = countTurns()
    const visitedInTurn: number[] = []
    const visit = (): void => {
      busy(1)
      visitedInTurn[turns.count] = (visitedInTurn[turns.count] ?? 0) + 1
    }
    const first = slicer.each(
      Array(8).fill(0),
      () => {
        visit()
        later.push(slicer.each([0], visit, ignore))
      },
      ignore,
    )
    const later: Promise<void>[] = []
    await first
    await Promise.all(later)
    // A quarter of the budget in the turn in which the work comes.
    expect(visitedInTurn.find(Boolean)).toBe(2)
  })

  it('resolves for no items without waiting for other work', async () => {
    const slicer = new Slicer({ budgetMs: 4 })
    let visited = 0
    const visit = (): void => {
      busy(1)
      visited++
    }
    const other = slicer.each(Array(8).fill(0), visit, ignore)
    await slicer.each([], ignore, ignore)
    expect(visited).toBeLessThan(8)
    await other
  })

  it('tells within a visit that it visits, and not outside', async () => {
    const slicer = new Slicer()
    const seen = [slicer.isVisiting]
    const visits = slicer.each([0], () => seen.push(slicer.isVisiting), ignore)
    seen.push(slicer.isVisiting)
    await visits
    seen.push(slicer.isVisiting)
    expect(seen).toEqual([false, false, true, false])
  })

  it('reports the time of a turn once, and none if there is none', async () => {
    const reported: number[] = []
    const report = (seconds: number): void => void reported.push(seconds)
    const slicer = new Slicer({ budgetMs: 1_000 })
    await slicer.each(Array(64).fill(0), () => busy(0.25), report)
    expect(reported).toEqual([0.016])
    await slicer.each([0], ignore, report)
    expect(reported).toEqual([0.016])
  })

  it('ends a job whose visit throws and continues with the others', async () => {
    const slicer = new Slicer()
    const seen: number[] = []
    const failing = slicer.each(
      [1, 2],
      () => {
        throw new Error('no')
      },
      ignore,
    )
    const other = slicer.each([3], (item) => seen.push(item), ignore)
    await expect(failing).rejects.toThrow('no')
    await other
    expect(seen).toEqual([3])
  })

  it.each([0, 0.01, 1_001])('refuses a budget of %d ms', (budgetMs) => {
    expect(() => new Slicer({ budgetMs })).toThrow(
      `option "budgetMs" is ${budgetMs}; expected milliseconds, from 0.1 to 1000`,
    )
  })
})
