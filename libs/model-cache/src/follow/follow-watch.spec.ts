import { jest } from '@jest/globals'
import { manualClock } from '../../../../test/support/manual-clock.js'
import { FollowWatch, type FollowerReport } from './follow-watch.js'

const report = (change: Partial<FollowerReport> = {}): FollowerReport => ({
  follower: 'one',
  atMs: performance.now(),
  state: 'following',
  lagMs: 0,
  lagBytes: 0,
  isStandby: false,
  standbyLagMs: null,
  caches: ['Post'],
  ...change,
})

function newWatch() {
  const watch = new FollowWatch({ namespace: 'mc', messages: undefined, maxLagMs: 10_000 })
  let resumes = 0
  watch.onResume(() => resumes++)
  return { watch, resumes: () => resumes }
}

afterEach(() => jest.restoreAllMocks())

it('knows which caches are followed', async () => {
  const { watch } = newWatch()
  expect(watch.isFollowed('Post')).toBe(false)
  await watch.publish(report())
  expect([watch.isFollowed('Post'), watch.isFollowed('User')]).toEqual([true, false])
})

it.each([
  ['it opens', { state: 'opening' }],
  ['it has resigned', { state: 'resigned' }],
  ['its lag is too high', { lagMs: 10_001 }],
] as const)('counts no cache as followed when the follower says that %s', async (_, change) => {
  const { watch } = newWatch()
  await watch.publish(report())
  await watch.publish(report(change))
  expect(watch.isFollowed('Post')).toBe(false)
})

it('counts no cache as followed after 2.5 s without a report', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  await watch.start()
  await watch.publish(report())
  clock.rest(2_499)
  expect(watch.isFollowed('Post')).toBe(true)
  clock.rest(1)
  expect([watch.isFollowed('Post'), watch.silentForMs]).toEqual([false, 2_500])
})

it('takes a report for as old as it is, by those that came sooner', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  await watch.publish(report())
  const late = report()
  clock.rest(2_500)
  await watch.publish(late)
  expect(watch.isFollowed('Post')).toBe(false)
})

it('compares the clock of another follower with none of the one before', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  await watch.publish(report())
  clock.rest(100)
  // Its clock began an hour later.
  await watch.publish(report({ follower: 'two', atMs: performance.now() - 3_600_000 }))
  expect(watch.isFollowed('Post')).toBe(true)
})

describe('what a process has held since before a gap', () => {
  it('is dropped when somebody follows for the first time, and not again with each report', async () => {
    const { resumes, watch } = newWatch()
    await watch.publish(report())
    await watch.publish(report())
    expect(resumes()).toBe(1)
  })

  it('is dropped when another one follows, even without a pause', async () => {
    const { resumes, watch } = newWatch()
    await watch.publish(report())
    await watch.publish(report({ follower: 'two' }))
    expect(resumes()).toBe(2)
  })

  it.each([
    ['the lag was too high', { lagMs: 10_001 }],
    ['it was opening', { state: 'opening' }],
  ] as const)('is dropped when it follows again after %s', async (_, change) => {
    const { resumes, watch } = newWatch()
    await watch.publish(report())
    await watch.publish(report(change))
    await watch.publish(report())
    expect(resumes()).toBe(2)
  })

  it('is dropped when it is heard again after silence', async () => {
    const clock = manualClock()
    const { resumes, watch } = newWatch()
    await watch.publish(report())
    clock.rest(2_500)
    await watch.publish(report())
    expect(resumes()).toBe(2)
  })
})
