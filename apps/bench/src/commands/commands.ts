import type { Command } from './command.ts'

export const commands: readonly Command[] = [
  {
    name: 'report',
    usage: 'report [--from FOLDER] [--out FILE]',
    purpose: 'Writes stored results as one page with charts, dist/bench/report.html.',
    load: async () => (await import('./report.ts')).report,
  },
  {
    name: 'compare',
    usage: 'compare BASE [SUITE…] [--rounds N] [--threshold PERCENT] [--only NAME]…',
    purpose: 'Runs suites of another revision and of this one in turns; 1 when this one is worse.',
    load: async () => (await import('./compare.ts')).compare,
  },
  {
    name: 'readme',
    usage: 'readme [--check]',
    purpose:
      'Writes stored results into README.md, docs/benchmarks.md and docs/capacity.md; --check only compares.',
    load: async () => (await import('./readme.ts')).readme,
  },
]
