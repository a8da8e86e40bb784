import { emptySnapshot, type RegisterSnapshot } from '../protocol/index.js'
import type { Coherence } from './context.js'
import { bypassInGaps } from './gap.js'

const snapshot: RegisterSnapshot = { epoch: 'e', existence: 'x', mayFill: true, losses: 0 }

/** The coherence of a cache whose changes are followed in the log while `state.isFollowed`. */
function open(backplane?: { isUp: boolean; start(): void }) {
  const state = { isFollowed: true }
  const layouts: string[] = []
  const coherence = {
    register: { read: async () => snapshot, readForLoaded: async () => snapshot },
    leases: 'leases',
    backplane,
  } as unknown as Coherence
  const follow = {
    isFollowed: (layout: string) => {
      layouts.push(layout)
      return state.isFollowed
    },
    onResume: () => () => {},
  }
  const bypassed = bypassInGaps(coherence, follow, { layout: 'layout' })
  return { bypassed, state, layouts }
}

describe('a cache whose changes are followed in the log', () => {
  it('uses the store while they are, and neither reads nor stores rows in a gap', async () => {
    const { bypassed, layouts, state } = open()
    const { register } = bypassed
    expect(await Promise.all([register.read(), register.readForLoaded()])).toEqual([snapshot, snapshot])
    state.isFollowed = false
    const empty = await Promise.all([register.read(), register.readForLoaded()])
    expect(empty).toEqual([emptySnapshot, emptySnapshot])
    expect(new Set(layouts)).toEqual(new Set(['layout']))
  })

  it('serves nothing that it requested in a gap, even if the answer arrives after the gap', async () => {
    const { bypassed, state } = open()
    state.isFollowed = false
    const reading = Promise.all([bypassed.register.read(), bypassed.register.readForLoaded()])
    state.isFollowed = true
    expect(await reading).toEqual([emptySnapshot, emptySnapshot])
  })

  it.each([
    [true, undefined, true],
    [true, true, true],
    [true, false, false],
    [false, undefined, false],
    [false, true, false],
    [false, false, false],
  ])('uses L1 only while messages arrive as well (followed: %p, backplane: %p)', (isFollowed, isUp, used) => {
    const { bypassed, state } = open(isUp === undefined ? undefined : { isUp, start: () => {} })
    state.isFollowed = isFollowed
    expect(bypassed.backplane!.isUp).toBe(used)
  })

  it('starts the backplane of a store that has one', () => {
    let starts = 0
    open({ isUp: true, start: () => starts++ }).bypassed.backplane!.start()
    expect(starts).toBe(1)
    expect(() => open().bypassed.backplane!.start()).not.toThrow()
  })

  it('keeps the other parts', () => {
    expect(open().bypassed.leases).toBe('leases')
  })
})
