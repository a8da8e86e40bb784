import { followElsewhere } from './follow-options.js'

describe('a process that others follow for', () => {
  it('reads the database while nobody follows, or with a lag above 10 s', () => {
    expect(followElsewhere()).toMatchObject({ onGap: 'bypass', maxLagMs: 10_000, openLog: undefined })
  })

  it.each([
    { onGap: 'serve', maxLagMs: 1_000 },
    { onGap: 'bypass', maxLagMs: 60_000 },
  ] as const)('takes %j', (options) => {
    expect(followElsewhere(options)).toMatchObject({ ...options, openLog: undefined })
  })

  it.each([
    [{ onGap: 'wait' as 'serve' }, 'follow.onGap'],
    [{ maxLagMs: 999 }, 'follow.maxLagMs'],
    [{ maxLagMs: Number.NaN }, 'follow.maxLagMs'],
    [{ maxLagMs: Infinity }, 'follow.maxLagMs'],
  ])('refuses %j', (options, name) => {
    expect(() => followElsewhere(options)).toThrow(
      expect.objectContaining({ code: 'E_INVALID_OPTION', message: expect.stringContaining(name) as string }),
    )
  })
})
