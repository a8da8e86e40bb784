import type { Command } from './command.ts'

export const commands: readonly Command[] = [
  {
    name: 'report',
    usage: 'report [--from FOLDER] [--out FILE]',
    purpose: 'Writes stored results as one page with charts, dist/bench/report.html.',
    load: async () => (await import('./report.ts')).report,
  },
]
