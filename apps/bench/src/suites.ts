import type { SuiteEntry } from './suite.ts'

export const suites: readonly SuiteEntry[] = [
  {
    name: 'codec',
    question:
      'How long does one typed row take into and out of its stored form, beside bare JSON and others?',
    load: async () => (await import('./codec/codec-suite.ts')).codecSuite,
  },
]
