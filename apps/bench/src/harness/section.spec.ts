import { besidePublished } from './published.ts'
import { grid, inPercent, table } from './section.ts'

const rows = [
  { name: 'ours', ms: 1.234, spread: 0.034 },
  { name: 'theirs', ms: 5_350, spread: 0.1 },
]

describe('table', () => {
  it('has a cell for each declared column, and a chart of some of them', () => {
    const columns = { '': 'name', ms: 'ms', '±': inPercent((row: (typeof rows)[0]) => row.spread) } as const
    expect(table('Hits', rows, columns, { text: ['One.'], chart: { y: 'ms', columns: ['ms'] } })).toEqual({
      title: 'Hits',
      text: ['One.'],
      table: {
        head: ['', 'ms', '±'],
        rows: [
          ['ours', '1.23', '3 %'],
          ['theirs', '5,350', '10 %'],
        ],
      },
      chart: {
        kind: 'bar',
        y: 'ms',
        categories: ['ours', 'theirs'],
        series: [{ name: 'ms', values: [1.234, 5_350] }],
      },
    })
  })
})

it('grid has a row and a column for each name, and dashes for what was not measured', () => {
  const { table, chart } = grid('Sizes', [1, 2], ['a', 'b'], (x, name) => (name === 'a' ? x : null), {
    chart: { kind: 'line', y: 'ms' },
  })
  expect(table!.rows).toEqual([
    ['1', '1', '–'],
    ['2', '2', '–'],
  ])
  expect(chart).toMatchObject({ categories: [1, 2], series: [{ values: [1, 2] }, { values: [null, null] }] })
})

it('besidePublished marks figures that could not be read', () => {
  const source = { title: 'A post', url: 'https://example.org/post', unread: 'Only its opening.' }
  const row = { name: 'baseline', theirs: undefined, ours: '180 ms', difference: 'another machine' }
  const section = besidePublished(source, 'CPU', [row])
  expect(section.table!.rows).toEqual([['baseline', 'not available offline', '180 ms', 'another machine']])
  expect(section.text).toContain('Only its opening.')
})
