import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { notes, table } from '../../harness/section.ts'
import { clientNames, COPIES, L1, PLAIN, RESULTS } from './modes.ts'
import { endpoints } from './endpoints.ts'
import type { Measured } from './measure.ts'

const nameOf = ({ atOnce, endpoint, size }: Measured): string => `${endpoint} of ${size}, ${atOnce} at once`

export const pays = defineComparison({
  name: 'pays',
  question: 'Does an answered query cost less processor time than one of plain Prisma?',
  packages: ['@nestjs/core', '@prisma/client', 'ioredis', 'pg'],
  full: { rounds: 7, warmUpMs: 400, ms: 250 },
  quick: { rounds: 1, warmUpMs: 30, ms: 30 },
  variants: ['endpoint', endpoints],
  goals: {
    highestCopies: { most: 1 },
    highestL1: { most: 0.6 },
    medianCopies: { most: 0.5 },
    highestResults: { most: 1 },
    medianResults: { most: 0.5 },
    highestBlock: { most: 1 },
  },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ cells, database, ms, rounds, server }) => [
    notes('What each endpoint asks', Object.fromEntries(endpoints.map(({ name, note }) => [name, note]))),
    table(
      'CPU of one request',
      cells,
      {
        '': nameOf,
        ...Object.fromEntries(
          clientNames.map((name) => [`${name} ms`, ({ of }: Measured) => of[name]!.cpuMs]),
        ),
        ...Object.fromEntries(
          clientNames
            .filter((name) => name !== PLAIN)
            .map((name) => [
              `${name} / plain`,
              ({ of }: Measured) => {
                const { ratio, ratioFrom, ratioTo } = of[name]!
                return `${ratio.toFixed(2)} (${ratioFrom.toFixed(2)} to ${ratioTo.toFixed(2)})`
              },
            ]),
        ),
      },
      {
        text: [
          `${database} and ${server} on the same machine. Each client has a process of its own; all have answered before, and have what they cache.`,
          `Medians of ${rounds} × ${ms} ms, the clients in turn; in brackets the middle half of the rounds. The processor time is that of the whole process.`,
        ],
      },
    ),
    table(
      'What one request asks of the servers, and how long it blocks',
      cells.filter(({ atOnce }) => atOnce === 1),
      {
        '': ({ endpoint, size }) => `${endpoint} of ${size}`,
        ...Object.fromEntries(
          clientNames.map((name) => [`${name}: SQL`, ({ of }: Measured) => of[name]!.statements]),
        ),
        'copies: kB of Valkey': ({ of }) => of[COPIES]!.wireBytes / 1_000,
        ...Object.fromEntries(
          clientNames.map((name) => [`${name}: longest block ms`, ({ of }: Measured) => of[name]!.blockMs]),
        ),
      },
    ),
  ],
  conclusion: ({
    summary: { answeredCopies, answeredL1, highestCopies, left, medianResults, highestResults },
  }) =>
    `Where caches answer, a request takes ${answeredCopies} times the processor time of plain Prisma in the median, and ${answeredL1} times ` +
    `with shared rows in memory. What they leave to the database takes ${left} times as much; the highest ratio of all is ${highestCopies}. ` +
    `With results of queries beside the rows, a request takes ${medianResults} times as much in the median, and ${highestResults} times at most.`,
  figures: ({ cells }) =>
    figuresOf(cells, nameOf, {
      ', copies / plain': [({ of }) => of[COPIES]!.ratio, 'times'],
      ', l1 / plain': [({ of }) => of[L1]!.ratio, 'times'],
      ', results / plain': [({ of }) => of[RESULTS]!.ratio, 'times'],
    }),
})
