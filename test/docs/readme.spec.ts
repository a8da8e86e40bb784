import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT, withoutCode } from './pages.js'

interface Page {
  readonly lots: number
  readonly bids: number
  readonly variants: readonly {
    readonly name: string
    readonly queries: number
    readonly commands: number
    readonly belowP50Ms: number
    readonly cpuMs: number
  }[]
}

interface Reads {
  readonly reads: number
  readonly staleReads: number
}

const resultOf = <Result>(suite: string): Result =>
  JSON.parse(readFileSync(join(ROOT, 'apps/bench/results', `${suite}.json`), 'utf8')) as Result

describe('README.md', () => {
  const readme = readPage('README.md').replaceAll(/\s+/g, ' ')

  it('is short', () => {
    const prose = withoutCode(readPage('README.md')).replaceAll(/<!--[^]*?-->|\]\([^)]*\)/g, '')
    expect(prose.match(/\p{L}[\p{L}\d'-]*/gu)!.length).toBeLessThanOrEqual(1_200)
  })

  it('begins with a page before and after, as the benchmark has measured it', () => {
    const { bids, lots, variants } = resultOf<Page>('page')
    expect(readme).toContain(`A GraphQL page of ${lots} lots with ${bids} bids`)
    for (const name of ['Prisma', 'model-cache reads', 'model-cache L1']) {
      const { belowP50Ms, commands, cpuMs, queries } = variants.find((variant) => variant.name === name)!
      const row = [queries, commands, `${belowP50Ms.toFixed(1)} ms`, `${cpuMs.toFixed(1)} ms`]
      expect(readme).toContain(`| ${row.join(' | ')} |`)
    }
  })

  it('says in which mode how many reads were never stale', () => {
    const { available, hot, memory, restarts, ...strict } = resultOf<
      Reads & Readonly<Record<'available' | 'hot' | 'memory' | 'restarts', Reads>>
    >('chaos')
    const inStrict = [strict, hot, memory, restarts].reduce((sum, { reads }) => sum + reads, 0)
    const stale = [strict, hot, memory, restarts, available].reduce(
      (sum, { staleReads }) => sum + staleReads,
      0,
    )
    const figures = [inStrict + available.reads, inStrict].map((count) => count.toLocaleString('en'))
    expect(readme).toContain(`**${stale} of ${figures[0]}** reads were stale`)
    expect(readme).toContain(`Of all reads, ${figures[1]} ran in mode [\`strict\`]`)
  })
})
