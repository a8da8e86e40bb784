import { choose, defineComparison, figuresOf } from './comparison.ts'

describe('a comparison', () => {
  const closed: string[] = []
  const open = (name: string) => ({ name, close: async () => void closed.push(name) })
  const options = { quick: true, only: ['b'] }
  const entry = (fails: boolean) =>
    defineComparison({
      name: 'example',
      question: 'Which is faster?',
      packages: [],
      full: { rounds: 9 },
      quick: { rounds: 1 },
      variants: ['case', [{ name: 'a' }, { name: 'b' }]],
      async workload({ use, chosen, effort }) {
        const first = await use(open('first'))
        await use(Promise.resolve(open('second')))
        if (fails) throw new Error('A variant returns something else.')
        return { ...effort, names: chosen.map(({ name }) => first.name + name), summary: { ratio: 2 } }
      },
      columns: () => [],
      conclusion: () => '',
      figures: () => ({}),
      goals: { ratio: { least: 3 } },
    })

  beforeEach(() => closed.splice(0))

  it('measures the chosen variants with the effort of the run, and closes what it has opened, the last first', async () => {
    const suite = entry(false)
    expect(await suite.measure(options)).toMatchObject({ rounds: 1, names: ['firstb'] })
    expect(closed).toEqual(['second', 'first'])
  })

  it('closes what it has opened when it fails', async () => {
    await expect(entry(true).measure(options)).rejects.toThrow('A variant returns')
    expect(closed).toEqual(['second', 'first'])
  })

  it('has to reach its goals in a full run only', async () => {
    const suite = entry(false)
    const measured = await suite.measure(options)
    expect(suite.problems(measured, options)).toEqual([])
    expect(suite.problems(measured, { ...options, quick: false })).toEqual(['ratio is 2, of at least 3.'])
  })
})

it('figures of rows are named by row and measure', () => {
  expect(
    figuresOf([{ name: 'a', ms: 1 }], ({ name }) => name, {
      ': CPU': ['ms', 'ms'],
      '': [({ ms }) => 1 / ms, '/ms', 'higher'],
    }),
  ).toEqual({
    'a: CPU': { value: 1, unit: 'ms', better: 'lower' },
    a: { value: 1, unit: '/ms', better: 'higher' },
  })
})

it('choose picks by name in any case, and rejects unknown names', () => {
  const all = [{ name: 'User' }, { name: 'Item' }]
  expect(choose('fixture', all, [])).toBe(all)
  expect(choose('fixture', all, ['user'])).toEqual([{ name: 'User' }])
  expect(() => choose('fixture', all, ['Usr'])).toThrow('There is no fixture "Usr", only User, Item.')
})
