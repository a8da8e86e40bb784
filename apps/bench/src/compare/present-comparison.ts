import type { Section } from '../report/section.ts'
import type { Comparison } from './compare-suite.ts'

export function presentComparison(suite: string, { figures, unmatched }: Comparison): Section {
  return {
    title: suite,
    text: unmatched.length > 0 ? [`Only in one of them: ${unmatched.join(', ')}.`] : [],
    table: {
      head: ['', 'base', 'head', 'change', '95 % confident', ''],
      rows: figures.map(({ name, unit, base, head, change, low, high, isWorse }) => [
        `${name}, ${unit}`,
        significant(base),
        significant(head),
        `${signed(change)} %`,
        `${signed(low)} to ${signed(high)} %`,
        isWorse ? 'worse' : '',
      ]),
    },
  }
}

/** Three digits, or all before the point. */
function significant(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

const signed = (part: number): string => `${part < 0 ? '−' : '+'}${Math.abs(part * 100).toFixed(1)}`
