import { MemoryStore } from 'model-cache/advanced'
import type { Messages } from 'model-cache/internal'
import { eventually } from '../../../test/support/eventually.js'
import { insert, ScriptedLog, transaction } from '../../../test/support/scripted-log.js'
import type { DatabaseLog } from './database-log.js'
import type { FollowObserver } from './follow-context.js'
import { followElsewhere } from './follow-options.js'
import { ModelCacheFollower, type ModelCacheFollowerOptions } from './model-cache-follower.js'

const followers: ModelCacheFollower[] = []
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop()
})

function newFollower(log: ScriptedLog, options: Partial<ModelCacheFollowerOptions> = {}) {
  const namespaces: string[] = []
  const keys: string[] = []
  const channels = new Set<string>()
  const messages: Messages = {
    publish: async (channel) => void channels.add(channel),
    subscribe: async (channel) => void channels.add(channel),
    unsubscribe: async (channel) => void channels.delete(channel),
  }
  const openLog = (namespace: string): DatabaseLog => {
    namespaces.push(namespace)
    return {
      name: 'a database',
      providers: new Set(['postgresql']),
      elect: async (key) => {
        keys.push(key)
        return log.leadership
      },
      depose: async () => undefined,
    }
  }
  const follower = new ModelCacheFollower({
    store: Object.assign(new MemoryStore(), { messages }),
    follow: { ...followElsewhere(), openLog },
    ...options,
  })
  followers.push(follower)
  return { channels, follower, keys, namespaces }
}

describe('a process that follows for others', () => {
  it('follows from its start on, and tells all processes, until it is stopped', async () => {
    const log = new ScriptedLog()
    const { channels, follower, keys, namespaces } = newFollower(log)
    expect(namespaces).toEqual(['mc'])
    await follower.start()
    await eventually(() => follower.report?.state === 'following')
    expect([keys.length, keys[0]!.startsWith('mc:'), [...channels]]).toEqual([1, true, ['mc:{follow}']])
    // Without an observer, nothing is counted.
    log.listener.onChange(insert, transaction)
    log.listener.onCommit(30n, transaction)
    await eventually(() => log.confirmed.includes(30n))
    await follower.stop()
    expect([follower.report?.state, [...channels]]).toEqual(['resigned', []])
  })

  it('follows for the namespace of the caches, counts, and says so', async () => {
    const log = new ScriptedLog()
    const said: string[] = []
    const observer = {
      events() {},
      lagSeconds() {},
      takeovers: (count: number) => void said.push(`${count} takeover`),
    }
    const info = (message: string): void => void said.push(message)
    const { channels, follower, namespaces } = newFollower(log, { namespace: 'shop', observer, info })
    await follower.start()
    await eventually(() => follower.report?.state === 'following')
    expect([namespaces, [...channels], said]).toEqual([
      ['shop'],
      ['shop:{follow}'],
      ['1 takeover', 'ModelCache: this process follows the writes to a database.'],
    ])
  })

  it('follows on although its observer throws, and says so once', async () => {
    const log = new ScriptedLog()
    const warnings: string[] = []
    const fail = (): never => {
      throw new Error('no counter')
    }
    const observer = { events: fail, lagSeconds: fail, takeovers: fail }
    const { follower } = newFollower(log, { observer, warn: (message) => void warnings.push(message) })
    await follower.start()
    await eventually(() => follower.report?.state === 'following')
    log.listener.onChange(insert, transaction)
    log.listener.onCommit(30n, transaction)
    await eventually(() => log.confirmed.includes(30n))
    expect(warnings).toEqual([
      'ModelCache: the observer of the follower throws, so its counts are missing; it follows on: no counter',
    ])
  })

  it('refuses an observer that lacks events, and says which', () => {
    const observer = { events() {} } as unknown as FollowObserver
    const message = expect.stringMatching(
      /^model-cache: option "observer" is .*, and this one lacks lagSeconds, takeovers\.$/,
    ) as unknown
    expect(() => newFollower(new ScriptedLog(), { observer })).toThrow(
      expect.objectContaining({ code: 'E_INVALID_OPTION', message }),
    )
  })

  it('fetches the keys of encrypted caches first', async () => {
    const log = new ScriptedLog()
    const fetched: string[] = []
    const keys = async () => {
      fetched.push('keys')
      if (fetched.length === 1) throw new Error('the key service is down')
      return [{ id: 'a', key: Buffer.alloc(32, 1) }]
    }
    const { follower, keys: elected } = newFollower(log, { atRest: { keys } })
    await expect(follower.start()).rejects.toThrow(/"atRest.keys": the function that fetches them has failed/)
    expect(elected).toEqual([])
    await follower.start()
    await eventually(() => follower.report?.state === 'following')
    expect(fetched).toHaveLength(2)
  })

  it('does not begin once it has been stopped, while the keys are fetched', async () => {
    const fetching = Promise.withResolvers<void>()
    const keys = async () => {
      await fetching.promise
      return [{ id: 'a', key: Buffer.alloc(32, 1) }]
    }
    const { channels, follower, keys: elected } = newFollower(new ScriptedLog(), { atRest: { keys } })
    const starting = follower.start()
    await follower.stop()
    fetching.resolve()
    await starting
    expect([[...channels], elected]).toEqual([[], []])
  })

  it('needs a log to follow', () => {
    expect(() => new ModelCacheFollower({ store: new MemoryStore(), follow: followElsewhere() })).toThrow(
      expect.objectContaining({ code: 'E_INVALID_OPTION' }),
    )
  })
})
