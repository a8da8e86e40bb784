import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT } from './pages.js'

const source = ['event-loop', 'model-cache']
  .map((folder) => readFileSync(join(ROOT, 'libs', folder, 'src/errors.ts'), 'utf8'))
  .join('\n')

describe('docs/troubleshooting.md', () => {
  it('has an entry for each code of an error, and no other one', () => {
    const codes = new Set(source.match(/\bE_[A-Z_]+\b/g))
    const entries = Array.from(
      readPage('docs/troubleshooting.md').matchAll(/^### (E_[A-Z_]+)$/gm),
      ([, code]) => code,
    )
    expect(codes.size).toBeGreaterThan(20)
    expect(entries.toSorted()).toEqual([...codes].toSorted())
  })
})
