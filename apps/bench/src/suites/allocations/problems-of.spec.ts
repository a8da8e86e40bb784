import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UNCONFIGURED, type Baseline, type Count, type CountedCase } from './allocation-case.ts'
import { ANY_MACHINE, FEATURES, problemsOf } from './problems-of.ts'

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

  it.each(FEATURES)('know the code of %s, which is there', (feature) => {
    const [folder, ...file] = feature.startsWith('event-loop/')
      ? feature.split('/')
      : ['model-cache', feature]
    const path = join(import.meta.dirname, '../../../../../libs', folder!, 'src', ...file)
    expect(existsSync(feature.endsWith('/') ? path : `${path}.ts`)).toBe(true)
  })

  it('are not those of another V8', () => {
    expect(problemsOf([counted(UNCONFIGURED, 7)], '2', baseline)).toEqual([
      expect.stringContaining('with V8 1, and this is 2'),
    ])
  })

  describe('on any machine', () => {
    const problems = (
      bytes: number,
      objects: number,
      v8 = '1',
      recorded: Count = { bytes: 10_000, objects: 99 },
    ) =>
      problemsOf(
        [counted('store hit', bytes, { written: { bytes, objects } })],
        v8,
        {
          v8: '1',
          cases: { 'store hit': recorded },
        },
        ANY_MACHINE,
      )

    it('are none within 3 %', () => {
      expect(problems(10_300, 99)).toEqual([])
      expect(problems(9_700, 99)).toEqual([])
      expect(problems(10_301, 99)).toHaveLength(2)
    })

    it('are none within 96 bytes and three objects, if these are more', () => {
      expect(problems(196, 6, '1', { bytes: 100, objects: 3 })).toEqual([])
      expect(problems(197, 6, '1', { bytes: 100, objects: 3 })).toHaveLength(2)
      expect(problems(100, 7, '1', { bytes: 100, objects: 3 })).toHaveLength(2)
    })

    it('are those of another V8, which the first of them names', () => {
      expect(problems(10_000, 99, '2')).toEqual([])
      expect(problems(10_301, 99, '2')).toEqual([
        expect.stringContaining('with V8 1, and this is 2'),
        expect.stringContaining('store hit: 10301 bytes'),
        expect.stringContaining('UPDATE=1'),
      ])
    })

    it('are parts at rest that cost more than 96 bytes or three objects of the same run', () => {
      const atRest = (bytes: number) => [
        counted(UNCONFIGURED, 10_000),
        counted('writes, no transaction', bytes),
      ]
      const recorded = {
        v8: '1',
        cases: Object.fromEntries(atRest(10_000).map(({ name, written }) => [name, written])),
      }
      expect(problemsOf(atRest(10_096), '1', recorded, ANY_MACHINE)).toEqual([])
      expect(problemsOf(atRest(10_097), '1', recorded, ANY_MACHINE)).toEqual([
        'writes, no transaction: 10097 bytes a read, 10000 without it.',
      ])
    })
  })
})
