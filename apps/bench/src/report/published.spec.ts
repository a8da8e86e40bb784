import { besidePublished, type Published } from './published.ts'

const source = { title: 'A post', url: 'https://example.org/post' }
const rows = [{ name: 'baseline', ours: '180 ms', difference: 'another machine' }]

describe('rows beside published ones', () => {
  it('show both figures', () => {
    const published: Published = { ...source, figures: { baseline: '200 ms' } }
    expect(besidePublished(published, 'CPU', rows).table!.rows).toEqual([
      ['baseline', '200 ms', '180 ms', 'another machine'],
    ])
  })

  it('say what could not be read, and why, and invent nothing', () => {
    const section = besidePublished(
      { ...source, figures: undefined, unavailable: 'Only its opening.' },
      'CPU',
      rows,
    )
    expect(section.table!.rows[0]![1]).toBe('not available offline')
    expect(section.text).toContain('Only its opening.')
  })

  it('say which rows the source does not have', () => {
    const section = besidePublished({ ...source, figures: {} }, 'CPU', rows)
    expect(section.table!.rows[0]![1]).toBe('not in the source')
  })
})
