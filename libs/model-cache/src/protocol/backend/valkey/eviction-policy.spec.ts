import { jest } from '@jest/globals'
import { evictingPolicies, evictionAdvice, evictionCheck } from './eviction-policy.js'
import type { ValkeyClient } from './valkey-client.js'

function asking(...answers: (readonly string[] | Error)[]) {
  let asked = 0
  const policy = evictionCheck(async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!
    if (answer instanceof Error) throw answer
    return answer
  })
  return { policy, asked: () => asked }
}

describe('the policy of a server', () => {
  afterEach(() => jest.restoreAllMocks())

  it('is asked for again after half a minute', async () => {
    const { policy, asked } = asking([], ['allkeys-lru'])
    const now = jest.spyOn(performance, 'now')
    now.mockReturnValue(1_000)
    await policy()
    now.mockReturnValue(30_999)
    expect(await policy()).toBe(false)
    expect(asked()).toBe(1)
    now.mockReturnValue(31_000)
    expect(await policy()).toBe(true)
    expect(asked()).toBe(2)
  })

  it('is asked for again after an error', async () => {
    const { policy, asked } = asking(new Error('lost'), ['allkeys-lru'])
    await expect(policy()).rejects.toThrow('lost')
    expect(await policy()).toBe(true)
    expect(asked()).toBe(2)
  })
})

describe('the policies by which servers evict keys', () => {
  const memory = (...lines: string[]) => ['# Memory', 'used_memory:9', ...lines, ''].join('\r\n')
  const serverOf = (info: string) => ({
    info: async (section: string) => (section === 'memory' ? info : ''),
  })
  const server = (info: string) => serverOf(info) as unknown as ValkeyClient
  const evicting = memory(
    'maxmemory:1024',
    'maxmemory_human:1K',
    'maxmemory_policy:allkeys-lru',
    'x_maxmemory_policy:noeviction',
  )

  it.each([
    ['none without a limit', memory('maxmemory:0', 'maxmemory_policy:allkeys-lru'), []],
    ['none if it evicts nothing', memory('maxmemory:1024', 'maxmemory_policy:noeviction'), []],
    ['none if it does not say', memory('maxmemory:1024'), []],
    ['none if it says nothing', '', []],
    ['its policy', evicting, ['allkeys-lru']],
    ['its policy if its limit is unknown', memory('maxmemory_policy:volatile-ttl'), ['volatile-ttl']],
  ])('are %s', async (_, info, policies) => {
    expect(await evictingPolicies(server(info))).toEqual(policies)
    expect(await evictionAdvice(server(info))).toEqual(
      policies.map((policy) => expect.stringContaining(`maxmemory-policy ${policy}`)),
    )
  })
})
