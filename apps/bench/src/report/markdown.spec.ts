import { chapterOf, escapeMarkdown, tableOf } from './markdown.ts'

describe('the chapters of docs/benchmarks.md', () => {
  it('have each section of a result, with its table', () => {
    const chapter = chapterOf({
      name: 'storm',
      question: 'How much?',
      found: {
        header: ['Node 26.'],
        sections: [
          { title: 'Hits', text: ['One.', 'Two.'], table: { head: ['', 'ms'], rows: [['ours *', '1']] } },
          { title: 'To know', text: ['a', 'b', 'c', 'd'] },
        ],
      },
    })
    expect(chapter.split('\n\n')).toEqual([
      '### storm',
      'How much?',
      '`npm run bench -- storm`. Node 26.',
      '#### Hits',
      'One.',
      'Two.',
      '|  | ms |\n| --- | --: |\n| ours \\* | 1 |',
      '#### To know',
      '- a\n- b\n- c\n- d',
    ])
  })

  it('name the command where there is no result', () => {
    expect(chapterOf({ name: 'storm', question: 'How much?' })).toContain(
      '`npm run bench -- storm` measures it',
    )
  })

  it('mean what they say, whatever characters that takes', () => {
    expect(escapeMarkdown('a_b * c|d <e> `f` [g]')).toBe('a\\_b \\* c\\|d \\<e\\> \\`f\\` \\[g\\]')
    expect(escapeMarkdown('See https://example.org/a_b.')).toBe('See https://example.org/a_b.')
    expect(tableOf({ head: ['', 'a|b'], rows: [] })).toBe('|  | a\\|b |\n| --- | --: |')
  })
})
