import { UNCONFIGURED, type Baseline, type CountedCase } from './allocation-case.ts'
import { problemsOf } from './problems-of.ts'

const counted = (name: string, bytes: number, more: Partial<CountedCase> = {}): CountedCase => ({
  name,
  group: 'hook',
  tolerance: 0,
  written: { bytes, objects: 3 },
  byFile: {},
  ...more,
})
const baseline: Baseline = {
  v8: '1',
  cases: { [UNCONFIGURED]: { bytes: 100, objects: 3 }, 'writes, no transaction': { bytes: 100, objects: 3 } },
}

describe('the problems of a count', () => {
  it('are none when the counts are as recorded', () => {
    const cases = [
      counted(UNCONFIGURED, 100, { byFile: { 'cache/read': 100 } }),
      counted('writes, no transaction', 100),
    ]
    expect(problemsOf(cases, '1', baseline)).toEqual([])
  })

  it('are changes of a single byte, with the command that records them', () => {
    const [changed, refresh] = problemsOf([counted(UNCONFIGURED, 101)], '1', baseline)
    expect(changed).toBe('nothing configured: 101 bytes in 3 objects, recorded were 100 bytes in 3 objects.')
    expect(refresh).toContain('UPDATE=1')
  })

  it('allow for the tolerance of a case', () => {
    expect(problemsOf([counted(UNCONFIGURED, 101, { tolerance: 0.01 })], '1', baseline)).toEqual([])
    expect(problemsOf([counted(UNCONFIGURED, 102, { tolerance: 0.01 })], '1', baseline)).toHaveLength(2)
  })

  it('are allocations of parts at rest, and of features that are not configured', () => {
    const cases = [
      counted(UNCONFIGURED, 100, { byFile: { 'cache/telemetry/auditor': 8 } }),
      counted('writes, no transaction', 116, { tolerance: 1 }),
    ]
    expect(problemsOf(cases, '1', baseline)).toEqual([
      'writes, no transaction: 116 bytes a read, 100 without it.',
      'cache/telemetry/auditor, which is not configured, allocates 8 bytes a read.',
    ])
  })

  it('are not those of another V8', () => {
    expect(problemsOf([counted(UNCONFIGURED, 7)], '2', baseline)).toEqual([
      expect.stringContaining('with V8 1, and this is 2'),
    ])
  })
})
