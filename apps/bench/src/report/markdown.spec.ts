import { escapeMarkdown, markdownTable, renderMarkdown } from './markdown.ts'

describe('the Markdown report', () => {
  it('has the sections of a chapter, and the command of a suite without a result', () => {
    const table = { head: ['', 'ms'], rows: [['ours *', '1']] }
    const sections = [
      { title: 'Hits', text: ['One.'], table },
      { title: 'Notes', text: ['a', 'b', 'c', 'd'] },
    ]
    const found = { header: ['Node 26.'], conclusion: 'Little.', headlines: {}, sections }
    const storm = { name: 'storm', question: 'How much?', found }
    const page = renderMarkdown([storm, { name: 'write', question: 'What else?' }])
    expect(page.split('\n\n')).toEqual([
      '# Measurements of model-cache',
      '## storm',
      'How much?',
      'Little.',
      '`npm run bench -- storm` Node 26.',
      '### Hits',
      'One.',
      '|  | ms |\n| --- | --: |\n| ours \\* | 1 |',
      '### Notes',
      '- a\n- b\n- c\n- d',
      '## write',
      'What else?',
      '`npm run bench -- write` measures it; no result is stored.',
      '',
    ])
  })

  it('escapes markup, and leaves URLs alone', () => {
    expect(escapeMarkdown('a_b * c|d <e> `f` [g]')).toBe('a\\_b \\* c\\|d \\<e\\> \\`f\\` \\[g\\]')
    expect(escapeMarkdown('See https://example.org/a_b.')).toBe('See https://example.org/a_b.')
    expect(markdownTable({ head: ['', 'a|b'], rows: [] })).toBe('|  | a\\|b |\n| --- | --: |')
  })
})
