import { escapeHtml, paragraph } from './render-page.ts'

describe('text of the page', () => {
  it('cannot become markup', () => {
    expect(escapeHtml('<b title="a & b">')).toBe('&lt;b title=&quot;a &amp; b&quot;&gt;')
  })

  it('has links for its URLs, without the punctuation of the sentence', () => {
    expect(paragraph('Is 1 < 2? See https://example.org/a?b=1&c.')).toBe(
      '<p>Is 1 &lt; 2? See <a href="https://example.org/a?b=1&amp;c">https://example.org/a?b=1&amp;c</a>.</p>',
    )
  })
})
