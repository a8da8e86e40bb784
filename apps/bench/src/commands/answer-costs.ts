import { type Columns, table } from '../harness/section.ts'
import { markdownTable } from '../report/markdown.ts'
import { endpoints, ONE_SIZE } from '../suites/pays/endpoints.ts'
import type { Measured, PaysMeasurements } from '../suites/pays/measure.ts'
import { L1, RESULTS, ROWS, WHOLE } from '../suites/pays/modes.ts'
import { measuredBy, type Source } from './measured-by.ts'

type Stored = PaysMeasurements & Source

/** Shares of the processor time that plain Prisma takes for the same request. */
const columns: Columns<Measured> = {
  'the request': (cell) => endpointOf(cell).note,
  rows: ({ of }) => of[ROWS]!.ratio.toFixed(2),
  results: ({ of }) => of[RESULTS]!.ratio.toFixed(2),
  'both in L1': ({ of }) => of[L1]!.ratio.toFixed(2),
}

const aboutOf = (stored: Stored): string => `${measuredBy(stored)} Customers with ${ONE_SIZE} purchases.`

/** The generated part of docs/transparent-reads.md: what a request costs that comes alone, and one of eight in a tick. */
export function readCosts(pays: Stored): string {
  const cells = pays.cells.filter(
    (cell) => !cell.isWritten && (cell.size === ONE_SIZE || endpointOf(cell).isOfOneSize),
  )
  const shared = (cell: Measured): Measured =>
    cells.find(({ atOnce, endpoint }) => endpoint === cell.endpoint && atOnce > 1)!
  const text = table(
    '',
    cells.filter(({ atOnce }) => atOnce === 1),
    {
      ...columns,
      'results, 8 at once': (cell) => shared(cell).of[RESULTS]!.ratio.toFixed(2),
    },
  )
  return [aboutOf(pays), markdownTable(text.table!)].join('\n\n')
}

/** The generated part of docs/capacity.md: what a request costs, with its part of the writes that end results. */
export function writtenCosts(pays: Stored): string {
  const cells = pays.cells.filter(({ atOnce, isWritten }) => isWritten && atOnce === 1)
  const text = table('', cells, {
    ...columns,
    'whole models': ({ of }) => of[WHOLE]!.ratio.toFixed(2),
  })
  return [aboutOf(pays), markdownTable(text.table!)].join('\n\n')
}

const endpointOf = (cell: Measured) => endpoints.find(({ name }) => name === cell.endpoint)!
