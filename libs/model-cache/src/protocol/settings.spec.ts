import { shieldLog } from './operator-log.js'
import { type ConsistencyOptions, consistencySettings } from './settings.js'

describe('the settings of consistency', () => {
  it('have defaults, which are kept for options that are not given, and do not change', () => {
    const times = { fenceMs: 10_000, leaseMs: 5_000, leaseWaitMs: 200, replicaLagMs: 0 }
    const defaults = { mode: 'available', ...times, replicas: 0 }
    expect(consistencySettings()).toEqual(defaults)
    const settings = consistencySettings({ mode: 'strict', leaseMs: 1, leaseWaitMs: 0, fenceMs: 3_600_000 })
    expect(settings).toEqual({ ...defaults, mode: 'strict', leaseMs: 1, leaseWaitMs: 0, fenceMs: 3_600_000 })
    expect(Object.isFrozen(settings)).toBe(true)
    expect(consistencySettings({ replicas: 16 }).replicas).toBe(16)
  })

  it.each<ConsistencyOptions>([
    { mode: 'eventual' as 'strict' },
    { fenceMs: 0 },
    { leaseMs: 0.5 },
    { leaseWaitMs: -1 },
    { replicaLagMs: 3_600_001 },
    { fenceMs: NaN },
    { leaseMs: '7' as unknown as number },
    { replicas: -1 },
    { replicas: 1.5 },
    { replicas: 17 },
    { replicas: '1' as unknown as number },
  ])('refuse %j', (options) => {
    expect(() => consistencySettings(options)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
  })
})

it('a log that throws, or has not all methods, stops no read and no write', () => {
  const logged: string[] = []
  const log = shieldLog({
    warn: (message) => {
      logged.push(message)
      throw new Error('the log is full')
    },
  })
  log.warn('a')
  log.info('b')
  expect(logged).toEqual(['a'])
})
