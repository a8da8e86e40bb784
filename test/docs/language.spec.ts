import { handWritten, PAGES, readPage, withoutCode } from './pages.js'

/** Words that a term of the glossary or plainer English replaces. */
const REPLACED = [
  /\b(re)?told\b/,
  /\banew\b/,
  /\bin (its|their) stead\b/,
  /\bthereof\b/,
  /\bone after the other\b/,
  /\bwhose time is over\b/,
  /\bpassed by\b/,
  /\bstorms?\b/,
  /\bearly refresh\b/,
  /\bgrace\b/,
  /\babsen(t|ce|ces)\b/,
  /\bunsettled\b/,
  /\btouch(es|ed)?\b/,
  /\bsettles?\b/,
  /\bidentit(y|ies)\b/,
  /\bcrowds?\b/,
  /\btallied\b/,
  /\bill(ness)?\b/,
  /\blarge rows? warning\b/,
  /\b(register|catalogue)'s word\b/,
  /\bmembership (word|epoch)\b/,
  /\bpast prisma\b/,
  /\bmandates?\b/,
  /\bjoint questions?\b/,
  /\bkept right\b/,
  /\brow as text\b/,
]

/** Names that options and labels of metrics once had. */
const RENAMED = ['absentTtl', 'earlyRefresh', '`grace`', 'largeRow', '`unsettled`', '`joined`', '`absent`']

/** Pages that do not follow these rules yet. */
const exempt = ['docs/benchmarks.md', 'docs/capacity.md']
const pages = PAGES.filter((page) => !exempt.includes(page))

describe('the language of the documentation', () => {
  it.each(pages)('uses the terms of the glossary: %s', (page) => {
    const text = handWritten(page) || readPage(page)
    const prose = withoutCode(text).toLowerCase().replaceAll(/\s+/g, ' ')
    expect(REPLACED.filter((phrase) => phrase.test(prose))).toEqual([])
    expect(RENAMED.filter((name) => text.includes(name))).toEqual([])
  })

  it.each(pages)('keeps lines within 120 characters: %s', (page) => {
    const long = handWritten(page)
      .split('\n')
      .filter((line) => [...line].length > 120)
    expect(long).toEqual([])
  })
})

describe('the glossary', () => {
  const entries = readPage('docs/glossary.md').split(/^### /m).slice(1)

  it.each(entries.map((entry) => ({ term: entry.split('\n')[0]!, entry })))(
    'links "$term" to a page that uses it',
    ({ term, entry }) => {
      const page = [...entry.matchAll(/\]\(([\w-]+\.md)/g)].at(-1)?.[1]
      expect(page).toBeDefined()
      const text = readPage(`docs/${page}`).toLowerCase().replaceAll(/\s+/g, ' ')
      expect(text).toContain(term.toLowerCase())
    },
  )

  it('explains each term once', () => {
    expect(new Set(entries.map((entry) => entry.split('\n')[0])).size).toBe(entries.length)
  })
})
