import { readingTask, received, verifiedTask } from '../../harness/codecs/verify.ts'
import { interleave, type Effort, type Task } from '../../harness/interleave.ts'
import { mean } from '../../harness/statistics.ts'
import { loadSimdjson } from '../simdjson.ts'
import { ledgerOf } from './ledger.ts'

const meanBytes = (texts: readonly string[]): number =>
  Math.round(mean(texts.map((text) => Buffer.byteLength(text))))

const parse = (text: string): unknown => JSON.parse(text) as unknown

/** Reads values of 100 bytes to 1 MB, by parser. */
export const timeSizes = (effort: Effort, hasSimdjson: boolean) =>
  [100, 1_000, 10_000, 100_000, 1_000_000].map((size) => {
    const { rows, compile } = ledgerOf(size)
    const [json, record] = [compile('json'), compile('record')]
    const texts = rows.map((row) => json.encode(row))
    const records = rows.map((row) => record.encode(row))
    const plain = texts.map(parse)
    const tasks = [readingTask('JSON.parse', texts, parse, plain)]
    if (hasSimdjson) {
      const simdjson = loadSimdjson()
      const idOf = (text: string): unknown => simdjson.lazyParse(text).valueForKeyPath('id')
      const ids = plain.map((value) => (value as { id: string }).id)
      tasks.push(
        readingTask('simdjson.parse', texts, (text) => simdjson.parse(text), plain),
        readingTask('simdjson.lazyParse, one field', texts, idOf, ids),
      )
    }
    tasks.push(
      readingTask('json format', texts, (text) => json.decode(text), rows),
      readingTask('record format', records, (text) => record.decode(text), rows),
    )
    return { bytes: meanBytes(texts), timings: interleave(tasks, effort) }
  })

/** Different batches, so that they do not all stay in the processor's caches. */
const BATCHES = 3

/** Reads N values one by one, joined in one parse, and in the record format. */
export const timeCoalescing = (effort: Effort) =>
  [100, 1_000, 10_000].flatMap((size) => {
    const { rows, compile } = ledgerOf(size)
    const record = compile('record')
    const texts = rows.map((row) => JSON.stringify(row))
    const records = rows.map((row) => record.encode(row))
    const plain = texts.map(parse)
    return [1, 10, 100, 1_000].map((reads) => {
      const batchesOf = <T>(values: readonly T[]): T[][] =>
        Array.from({ length: BATCHES }, (_, batch) =>
          Array.from({ length: reads }, (_, i) => values[(batch * reads + i) % values.length]!),
        )
      type Read = (batch: readonly string[]) => unknown
      const taskOf = (
        name: string,
        stored: readonly string[],
        run: Read,
        expected: readonly unknown[],
      ): Task =>
        verifiedTask(
          name,
          batchesOf(stored).map((batch) => batch.map(received)),
          run,
          batchesOf(expected),
        )
      const tasks = [
        taskOf('one by one', texts, (batch) => batch.map(parse), plain),
        taskOf('joined', texts, (batch) => JSON.parse(`[${batch.join(',')}]`), plain),
        taskOf('record format', records, (batch) => batch.map((text) => record.decode(text)), rows),
      ]
      return { bytes: meanBytes(texts), reads, timings: interleave(tasks, effort) }
    })
  })
