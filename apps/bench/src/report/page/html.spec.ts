import { escapeHtml, paragraph } from './html.ts'

describe('the texts of the page', () => {
  it('cannot become markup', () => {
    expect(escapeHtml('<b title="a & b">')).toBe('&lt;b title=&quot;a &amp; b&quot;&gt;')
  })

  it('are paragraphs, whose addresses are links, without what ends the sentence', () => {
    expect(paragraph('Is 1 < 2? See https://example.org/a?b=1&c.')).toBe(
      '<p>Is 1 &lt; 2? See <a href="https://example.org/a?b=1&amp;c">https://example.org/a?b=1&amp;c</a>.</p>',
    )
  })
})
