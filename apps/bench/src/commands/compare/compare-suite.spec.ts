import type { Figure } from '../../harness/figure.ts'
import { compareFigures, presentComparison } from './compare-suite.ts'

const figure = (value: number, better: Figure['better'] = 'lower'): Figure => ({ value, unit: 'ns', better })

describe('the comparison of two revisions', () => {
  const rounds = [1, 2, 3].map((round) => ({
    base: { decode: figure(100 + round), speed: figure(10, 'higher'), gone: figure(1) },
    head: { decode: figure(150 + round), speed: figure(20, 'higher'), added: figure(1) },
  }))
  const comparison = compareFigures(rounds, 0.1)

  it('has the figures of both, and names those of only one', () => {
    expect(comparison.figures.map(({ name, isWorse }) => [name, isWorse])).toEqual([
      ['decode', true],
      ['speed', false],
    ])
    expect(comparison.unmatched).toEqual(['gone', 'added'])
  })

  it('is a table with the change and its interval', () => {
    const { table, text } = presentComparison('codec', comparison)
    expect(table?.rows).toEqual([
      ['decode, ns', '102', '152', '+49.0 %', '+49.0 to +49.0 %', 'worse'],
      ['speed, ns', '10', '20', '+100.0 %', '+100.0 to +100.0 %', ''],
    ])
    expect(text).toContain('Only in one of them: gone, added.')
  })
})
