import { jest } from '@jest/globals'
import { EvictionPolicy } from './eviction-policy.js'

function asking(...answers: (readonly string[] | Error)[]) {
  let asked = 0
  const policy = new EvictionPolicy(async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!
    if (answer instanceof Error) throw answer
    return answer
  })
  return { policy, asked: () => asked }
}

describe('the policy of a server', () => {
  afterEach(() => jest.restoreAllMocks())

  it('tells whether it evicts keys', async () => {
    expect(await asking(['allkeys-lru']).policy.evicts()).toBe(true)
    expect(await asking([]).policy.evicts()).toBe(false)
  })

  it('is asked for again after half a minute', async () => {
    const { policy, asked } = asking([], ['allkeys-lru'])
    const now = jest.spyOn(performance, 'now')
    now.mockReturnValue(1_000)
    await policy.evicts()
    now.mockReturnValue(30_999)
    expect(await policy.evicts()).toBe(false)
    expect(asked()).toBe(1)
    now.mockReturnValue(31_000)
    expect(await policy.evicts()).toBe(true)
    expect(asked()).toBe(2)
  })

  it('is asked for again after an error', async () => {
    const { policy, asked } = asking(new Error('lost'), ['allkeys-lru'])
    await expect(policy.evicts()).rejects.toThrow('lost')
    expect(await policy.evicts()).toBe(true)
    expect(asked()).toBe(2)
  })
})
