import { isDeepStrictEqual } from 'node:util'
import { interleave, type Effort, type Task } from '../measure/interleave.ts'
import { ledgerOf } from './ledger.ts'
import type { CoalescingResult } from './roundtrip-measurements.ts'

/** Bytes of JSON of one value. */
const SIZES = [100, 1_000, 10_000]
const READS = [1, 10, 100, 1_000]
/** Different batches of values, so that they do not all stay in the processor's caches. */
const BATCHES = 3

/** What a value takes that is read alone, and as one of N that are joined and parsed together. @throws when they differ */
export function measureCoalescing(effort: Effort): CoalescingResult[] {
  return SIZES.flatMap((size) =>
    READS.map((reads) => {
      const { tasks, bytes } = tasksOf(size, reads)
      return { bytes, reads, timings: interleave(tasks, effort) }
    }),
  )
}

function tasksOf(size: number, reads: number): { tasks: readonly Task[]; bytes: number } {
  const { rows, compile } = ledgerOf(size)
  const record = compile('record')
  const texts = rows.map((row) => JSON.stringify(row))
  const batchesOf = (values: readonly string[]): string[][] =>
    Array.from({ length: BATCHES }, (_, batch) =>
      Array.from({ length: reads }, (_unused, read) =>
        // Fresh from its bytes, as a client library hands it over.
        Buffer.from(values[(batch * reads + read) % values.length]!).toString('utf8'),
      ),
    )
  const json = batchesOf(texts)
  const alone = (batch: readonly string[]): unknown[] => batch.map((text) => JSON.parse(text) as unknown)
  const joined = (batch: readonly string[]): unknown[] => JSON.parse(`[${batch.join(',')}]`) as unknown[]
  const decoded = (batch: readonly string[]): unknown[] => batch.map((text) => record.decode(text))
  const records = batchesOf(rows.map((row) => record.encode(row)))
  if (!isDeepStrictEqual(joined(json[0]!), alone(json[0]!)))
    throw new Error('Joined values are parsed to others.')
  if (
    !isDeepStrictEqual(
      decoded(records[0]!),
      json[0]!.map((_, read) => rows[read % rows.length]),
    )
  ) {
    throw new Error('The record format does not bring the rows back.')
  }
  return {
    bytes: Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length),
    tasks: [
      { name: 'one by one', inputs: json, run: alone },
      { name: 'joined', inputs: json, run: joined },
      { name: 'record format', inputs: records, run: decoded },
    ],
  }
}
