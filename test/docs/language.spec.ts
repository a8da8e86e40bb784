import { handWritten, PAGES, readPage, withoutCode } from './pages.js'

/** What to write, by the words that it replaces. */
const REPLACED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(re)?told\b/, 'say what is known, reported or logged'],
  [/\banew\b/, 'again'],
  [/\bin (its|their) stead\b/, 'instead'],
  [/\bthereof\b/, 'of it'],
  [/\bone after the other\b/, 'one by one, in order'],
  [/\bwhose time is over\b/, 'expired'],
  [/\bpassed by\b/, 'bypassed'],
  [/\bstorms?\b/, 'burst'],
  [/\bearly refresh\b/, 'refresh-ahead'],
  [/\bgrace\b/, 'stale-while-revalidate, stale-if-error'],
  [/\babsen(t|ce|ces)\b/, 'not found (in the database), not cached (in the store)'],
  [/\bunsettled\b/, 'pending invalidations'],
  [/\btouch(es|ed)?\b/, 'mark written, affect'],
  [/\bsettles?\b/, 'release (a fence), resolve (a promise)'],
  [/\bidentit(y|ies)\b/, 'row id'],
  [/\bcrowds?\b/, 'waiters'],
  [/\btallied\b/, 'pre-aggregated'],
  [/\bill(ness)?\b/, 'unavailable'],
  [/\blarge rows? warning\b/, 'large payload warning'],
  [/\b(register|catalogue)'s word\b/, 'epoch'],
  [/\bmembership (word|epoch)\b/, 'existence epoch'],
  [/\bpast prisma\b/, 'outside Prisma'],
  [/\bmandates?\b/, 'leadership; leader, stand-by'],
  [/\bjoint questions?\b/, 'piggybacked request'],
  [/\bkept right\b/, 'updated automatically'],
  [/\brow as text\b/, 'payload, serialized row'],
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
    const found = REPLACED.flatMap(([words, instead]) => {
      const [word] = words.exec(prose) ?? []
      return word === undefined ? [] : [`"${word}": write ${instead}`]
    })
    expect(found).toEqual([])
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
