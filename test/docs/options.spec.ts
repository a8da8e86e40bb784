import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ambiguousAnchorsOf, ROOT } from './pages.js'

describe('docs/options.md', () => {
  it('is what `npm run docs:options` writes', () => {
    const script = join(ROOT, 'scripts/write-options.ts')
    expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toBe(
      'docs/options.md: up to date\n',
    )
  })

  it('has an anchor for each option that says which one it is', () => {
    expect(ambiguousAnchorsOf('docs/options.md')).toEqual([])
  })

  it('has a type for each option', () => {
    expect(readFileSync(join(ROOT, 'docs/options.md'), 'utf8')).not.toMatch(/^``/m)
  })
})
