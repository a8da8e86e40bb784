import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { notes, table } from '../../harness/section.ts'
import { L1, PLAIN, readers, RESULTS, ROWS, WHOLE, writers } from './modes.ts'
import { endpoints, ONE_SIZE, WRITE_EVERY } from './endpoints.ts'
import type { Measured } from './measure.ts'

const nameOf = ({ atOnce, endpoint, isWritten, size }: Measured): string =>
  `${endpoint} of ${size}, ${atOnce} at once${isWritten ? ', written' : ''}`

const isRead = ({ isWritten }: Measured): boolean => !isWritten

/** The columns of clients, with the ratios to the first one. */
const costsOf = (clients: readonly string[]) => ({
  ...Object.fromEntries(
    clients.map((name) => [`${name} ms`, ({ of }: Pick<Measured, 'of'>) => of[name]!.cpuMs]),
  ),
  ...Object.fromEntries(
    clients.slice(1).map((name) => [
      `${name} / ${clients[0]}`,
      ({ of }: Pick<Measured, 'of'>) => {
        const { ratio, ratioFrom, ratioTo } = of[name]!
        return `${ratio.toFixed(2)} (${ratioFrom.toFixed(2)} to ${ratioTo.toFixed(2)})`
      },
    ]),
  ),
})

export const pays = defineComparison({
  name: 'pays',
  question: 'Does an answered query cost less processor time than one of plain Prisma?',
  packages: ['@nestjs/core', '@prisma/client', 'ioredis', 'pg'],
  full: { rounds: 7, warmUpMs: 400, ms: 250 },
  quick: { rounds: 1, warmUpMs: 30, ms: 30 },
  variants: ['endpoint', endpoints],
  goals: {
    highestResults: { most: 1 },
    medianResults: { most: 0.5 },
    highestWritten: { most: 1 },
    highestL1: { most: 0.6 },
    highestBlock: { most: 1 },
  },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ cells, database, ms, older, rounds, server }) => [
    notes('What each endpoint asks', Object.fromEntries(endpoints.map(({ name, note }) => [name, note]))),
    table(
      'CPU of one request',
      cells.filter(isRead),
      { '': nameOf, ...costsOf(readers) },
      {
        text: [
          `${database} and ${server} on the same machine. Each client has a process of its own; all have answered before, and have what they cache.`,
          `Medians of ${rounds} rounds, the clients in turn, each with as many requests as plain Prisma answers in ${ms} ms, and up to four times as many rounds where a ratio may lie on both sides of its goal; in brackets the middle half of the rounds. The processor time is that of the whole process.`,
          'rows: rows, keys and lists as copies. results: results of queries beside these, by customer. l1: both, in memory as well.',
        ],
      },
    ),
    table(
      'CPU of one request, with writes',
      cells.filter(({ isWritten }) => isWritten),
      { '': nameOf, ...costsOf(writers) },
      {
        text: [
          `A purchase is written after each ${WRITE_EVERY} requests; its part of the processor time is included. whole: as results, but each write ends all of a model.`,
        ],
      },
    ),
    table(
      'CPU of one request on other versions of Node, one at once',
      older,
      {
        '': ({ endpoint, version }) => `${endpoint}, Node ${version}`,
        ...costsOf([PLAIN, RESULTS, L1]),
      },
      { text: [`Of ${ONE_SIZE} purchases where the endpoint reads purchases.`] },
    ),
    table(
      'What one request asks of the servers, and how long it blocks',
      cells.filter((cell) => cell.atOnce === 1 && isRead(cell)),
      {
        '': ({ endpoint, size }) => `${endpoint} of ${size}`,
        ...Object.fromEntries(
          readers.map((name) => [`${name}: SQL`, ({ of }: Measured) => of[name]!.statements]),
        ),
        'results: kB of Valkey': ({ of }) => of[RESULTS]!.wireBytes / 1_000,
        ...Object.fromEntries(
          readers.map((name) => [`${name}: longest block ms`, ({ of }: Measured) => of[name]!.blockMs]),
        ),
      },
    ),
  ],
  conclusion: ({
    summary: {
      answeredRows,
      highestResults,
      highestRows,
      leftRows,
      medianL1,
      medianResults,
      medianWhole,
      medianWritten,
    },
  }) =>
    `With results of queries beside rows, a request takes ${medianResults} times the processor time of plain Prisma in the median, and ` +
    `${highestResults} times at most; with both in memory as well, ${medianL1} times in the median. Where a purchase is written after each ` +
    `${WRITE_EVERY} requests, ${medianWritten} times, and ${medianWhole} times if each write ends all results. Rows alone take ${answeredRows} times as much where they answer, ${leftRows} times where they ` +
    `leave it to the database, and ${highestRows} times at most.`,
  figures: ({ cells }) => ({
    ...figuresOf(cells, nameOf, {
      ', rows / plain': [({ of }) => of[ROWS]!.ratio, 'times'],
      ', results / plain': [({ of }) => of[RESULTS]!.ratio, 'times'],
      ', l1 / plain': [({ of }) => of[L1]!.ratio, 'times'],
    }),
    ...figuresOf(
      cells.filter(({ isWritten }) => isWritten),
      nameOf,
      { ', whole / plain': [({ of }) => of[WHOLE]!.ratio, 'times'] },
    ),
  }),
})
