import { jest } from '@jest/globals'
import type { FollowerReport, Messages } from 'model-cache/internal'
import { manualClock } from '../../../test/support/manual-clock.js'
import { FollowWatch } from './follow-watch.js'

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

afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

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

it('counts caches as followed while the lag is not above its limit', async () => {
  const { resumes, watch } = newWatch()
  await watch.publish(report({ lagMs: 10_000 }))
  expect([watch.isFollowed('Post'), resumes()]).toEqual([true, 1])
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
  clock.rest(2_501)
  await watch.publish(late)
  expect(watch.isFollowed('Post')).toBe(false)
})

it('hears a follower for hours whose clock is slower', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  // By 0.1 ‰, as may be where nobody sets the clocks: 3.6 s in ten hours.
  for (let i = 0; i < 2 * 3_600 * 10; i++) {
    clock.rest(500)
    await watch.publish(report({ atMs: performance.now() - 0.05 * i }))
  }
  expect(watch.isFollowed('Post')).toBe(true)
})

it('hears a follower again after ten seconds whose machine was suspended, and its clock with it', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  await watch.publish(report())
  const heard: boolean[] = []
  for (let i = 0; i < 20; i++) {
    clock.rest(500)
    // None takes as long as any other.
    await watch.publish(report({ atMs: performance.now() - 5_000 + (i % 5) }))
    heard.push(watch.isFollowed('Post'))
  }
  expect(heard.lastIndexOf(false)).toBe(18)
})

it('takes reports for as old as they are that have waited while this process was suspended', async () => {
  const clock = manualClock()
  const { watch } = newWatch()
  await watch.publish(report())
  const waiting = Array.from({ length: 60 }, () => {
    clock.rest(500)
    return report()
  })
  const heard: boolean[] = []
  for (const one of waiting) {
    await watch.publish(one)
    heard.push(watch.isFollowed('Post'))
  }
  // Those of the last 2.5 s.
  expect([heard.indexOf(true), heard.lastIndexOf(false)]).toEqual([54, 53])
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

  it('is no concern of a listener that has ended', async () => {
    const { resumes, watch } = newWatch()
    let calls = 0
    watch.onResume(() => calls++)()
    await watch.publish(report())
    expect([resumes(), calls]).toEqual([1, 0])
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

/** Delivers at once, but for what it loses. */
class Wire implements Messages {
  readonly channels = new Map<string, { readonly listener: (message: string) => void; onLost: () => void }>()
  readonly calls: string[] = []
  isLosing = false
  async publish(channel: string, message: string): Promise<void> {
    if (!this.isLosing) this.channels.get(channel)?.listener(message)
  }
  async subscribe(channel: string, listener: (message: string) => void, onLost: () => void): Promise<void> {
    this.calls.push(`+ ${channel}`)
    this.channels.set(channel, { listener, onLost })
  }
  async unsubscribe(channel: string): Promise<void> {
    this.calls.push(`- ${channel}`)
  }
}

function newListener(wire = new Wire()) {
  jest.useFakeTimers()
  const watch = new FollowWatch({ namespace: 'mc', messages: wire, maxLagMs: 10_000 })
  return { watch, wire, channel: 'mc:{follow}', ownChannel: `mc:{follow}:${watch.id}` }
}

describe('a process that listens', () => {
  it('receives the reports of others, and has others receive its own', async () => {
    const { watch, wire } = newListener()
    await watch.start()
    const other = new FollowWatch({ namespace: 'mc', messages: wire, maxLagMs: 10_000 })
    const sent = report({ isStandby: true, standbyLagMs: 70 })
    await other.publish(sent)
    expect([watch.report, other.report]).toEqual([sent, sent])
  })

  it('receives reports of versions that know no standbys', async () => {
    const { channel, watch, wire } = newListener()
    await watch.start()
    await wire.publish(
      channel,
      JSON.stringify({ ...report(), isStandby: undefined, standbyLagMs: undefined }),
    )
    expect(watch.report).toEqual(report({ atMs: watch.report!.atMs }))
  })

  it.each([
    ['text', 'no report'] as const,
    ['null', 'null'] as const,
    ...(['follower', 'state', 'atMs', 'lagMs', 'lagBytes', 'caches'] as const).map(
      (field) => [`a report without ${field}`, JSON.stringify({ ...report(), [field]: undefined })] as const,
    ),
    ['a text as its time', JSON.stringify({ ...report(), atMs: '-5' })] as const,
    ['an unknown state', JSON.stringify({ ...report(), state: 'asleep' })] as const,
  ])('ignores %s', async (_, message) => {
    const { channel, watch, wire } = newListener()
    await watch.start()
    await wire.publish(channel, message)
    expect(watch.report).toBeUndefined()
  })

  it('subscribes again every 2.5 s while it hears nobody, until it is stopped', async () => {
    const { channel, ownChannel, watch, wire } = newListener()
    await watch.start()
    await watch.start()
    expect(wire.calls).toEqual([`+ ${channel}`])
    await watch.publish(report())
    await jest.advanceTimersByTimeAsync(2_500)
    expect(wire.calls.splice(0)).toEqual([`+ ${channel}`, `+ ${channel}`])
    await jest.advanceTimersByTimeAsync(1_000)
    await watch.publish(report())
    await jest.advanceTimersByTimeAsync(1_500)
    expect(wire.calls).toEqual([])
    await watch.stop()
    await jest.advanceTimersByTimeAsync(10_000)
    expect(wire.calls).toEqual([`- ${channel}`, `- ${ownChannel}`])
  })

  it('is silent since it has started, since it has heard somebody, or since messages may have been lost', async () => {
    const { channel, watch, wire } = newListener()
    await watch.start()
    await jest.advanceTimersByTimeAsync(3_000)
    expect(watch.silentForMs).toBe(3_000)
    await watch.publish(report())
    await jest.advanceTimersByTimeAsync(2_000)
    expect(watch.silentForMs).toBe(2_000)
    wire.channels.get(channel)!.onLost()
    await jest.advanceTimersByTimeAsync(500)
    expect(watch.silentForMs).toBe(500)
  })

  it('hears a message to itself', async () => {
    const { ownChannel, watch, wire } = newListener()
    const hears = watch.hears()
    await jest.advanceTimersByTimeAsync(0)
    expect([await hears, wire.calls]).toEqual([true, [`+ ${ownChannel}`]])
  })

  it('hears a message to itself after one of before', async () => {
    const { watch, wire } = newListener()
    const subscribe = wire.subscribe.bind(wire)
    wire.subscribe = async (channel, listener, onLost) => {
      await subscribe(channel, listener, onLost)
      listener('probe')
    }
    expect(await watch.hears()).toBe(true)
  })

  it('does not hear a message that is lost for a second, or that cannot be sent', async () => {
    const { watch, wire } = newListener()
    wire.isLosing = true
    let hears: boolean | undefined
    void watch.hears().then((result) => (hears = result))
    await jest.advanceTimersByTimeAsync(999)
    expect(hears).toBeUndefined()
    await jest.advanceTimersByTimeAsync(1)
    expect(hears).toBe(false)
    wire.publish = () => Promise.reject(new Error('the store is away'))
    expect(await watch.hears()).toBe(false)
  })

  it('needs no messages where the store has one process', async () => {
    jest.useFakeTimers()
    const { watch } = newWatch()
    await watch.start()
    expect([await watch.hears(), jest.getTimerCount()]).toEqual([true, 0])
    await watch.stop()
  })
})
