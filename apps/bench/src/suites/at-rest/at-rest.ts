import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { inPercent, table } from '../../harness/section.ts'

export const atRest = defineComparison({
  name: 'at-rest',
  question: 'What do encryption and compression cost a read and a write, and what do they save in Valkey?',
  packages: ['ioredis'],
  full: { rounds: 31 },
  quick: { rounds: 9 },
  workload: async (run) => (await import('./measure.ts')).measureAtRest(run),
  columns: ({ cases, rounds, server }) => [
    table(
      'Rows at rest',
      cases,
      {
        '': ({ burst, form, model }) => `${model}, ${burst} at once: ${form}`,
        'bytes of a value': 'bytes',
        'to plain': 'bytesToPlain',
        'CPU µs a read': 'readUs',
        '±': inPercent(({ readSpread }) => readSpread),
        'reads to plain': 'readToPlain',
        'plain and node:crypto alone': ({ readFloor }) => readFloor ?? '',
        'longest turn of reads, ms': 'readTurnMs',
        'CPU µs a write': 'writeUs',
        'writes to plain': 'writeToPlain',
        'plain writes and node:crypto alone': ({ writeFloor }) => writeFloor ?? '',
        'longest turn of writes, ms': 'writeTurnMs',
      },
      {
        text: [
          `${server}. A read is a hit of Valkey; a write is a miss whose row comes from memory and is stored. Compressed above 1 kB. Medians of ${rounds} interleaved rounds.`,
          'The columns of node:crypto say what the same values would cost if a cache added nothing to plain reads and writes but its calls: an object and its update for each value, which no other call of Node does for several at once.',
        ],
      },
    ),
  ],
  conclusion: ({ summary }) =>
    `Encrypted reads of small rows take ${summary['CPU of encrypted reads of single small rows to plain ones']} times the processor time of plain ones ` +
    `one by one, and ${summary['CPU of encrypted reads of 500 small rows to plain ones']} times 500 at once, and ${summary['CPU of encrypted reads of 500 small rows to plain ones and node:crypto alone']} times plain ones with the calls of node:crypto; ` +
    `compressed rows of 100 kB take ${summary['bytes of compressed rows of 100 kB to plain ones']} times the bytes.`,
  figures: ({ cases }) =>
    figuresOf(cases, ({ burst, form, model }) => `${model}, ${burst} at once, ${form}`, {
      ': bytes': ['bytes', 'B'],
      ': CPU of a read': ['readUs', 'µs'],
      ': CPU of a write': ['writeUs', 'µs'],
    }),
  goals: {
    'CPU of encrypted reads of single small rows to plain ones': { most: 1.5 },
    'CPU of encrypted reads of 500 small rows to plain ones and node:crypto alone': { most: 1.15 },
    'bytes of compressed rows of 100 kB to plain ones': { most: 0.2 },
    'longest turn of compressed reads of rows of 100 kB to plain ones': { most: 1.5 },
  },
})
