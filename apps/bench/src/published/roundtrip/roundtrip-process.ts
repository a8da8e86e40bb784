/** The process of one part of the suite. */
import { codecCandidate, textCandidate, type Candidate } from '../../harness/codecs/candidate.ts'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { readingTask, verify, type Verified } from '../../harness/codecs/verify.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { interleave, type Effort, type Task } from '../../harness/interleave.ts'
import { serveParent } from '../../harness/process.ts'
import { mean } from '../../harness/statistics.ts'
import { loadSimdjson } from '../simdjson.ts'
import { ledgerOf } from './ledger.ts'
import { measureLatency, measureThroughput, type Latencies, type Operation } from './load.ts'

export const OPERATIONS = ['serialize', 'deserialize', 'round trip'] as const
export type OperationName = (typeof OPERATIONS)[number]
export type CandidateName = 'model-cache' | 'v2' | 'v1'

/** Fewer in a quick run. */
const QUICK_FIXTURES = 3

/** Without the model of 100 kB, whose size `sizes` covers, and the one that not every machine has. */
const FIXTURES = allFixtures.filter(({ name }) => name !== 'FeatureFlags' && name !== 'GalaLots')

interface LoadTask {
  readonly candidate: CandidateName
  readonly operations: number
  readonly quick: boolean
}

const methods = serveParent({
  /** Operations per second of processor time, by fixture and operation; `idle` is of an operation that does nothing. */
  async throughput({ candidate, operations, quick }: LoadTask) {
    const fixtures: Record<string, Record<OperationName, number>> = {}
    for (const [fixture, verified] of verifiedOf(candidate, quick)) {
      const cells: Partial<Record<OperationName, number>> = {}
      for (const name of OPERATIONS)
        cells[name] = await measureThroughput(operationOf(name, verified), operations)
      fixtures[fixture] = cells as Record<OperationName, number>
    }
    const idle = await measureThroughput({ inputs: [undefined], run: () => undefined }, operations)
    return { fixtures, idle }
  },
  /** @param intervalsUs between two moments at which 64 operations are due, by fixture */
  async latency({
    candidate,
    operations,
    quick,
    intervalsUs,
  }: LoadTask & { intervalsUs: Readonly<Record<string, number>> }) {
    const answer: Record<string, Latencies> = {}
    for (const [fixture, verified] of verifiedOf(candidate, quick)) {
      const operation = operationOf('round trip', verified)
      // Until the optimising compilers are done.
      await measureThroughput(operation, operations / 4)
      answer[fixture] = await measureLatency(operation, operations, intervalsUs[fixture]!)
    }
    return answer
  },
  /** Reads values of 100 bytes to 1 MB, by parser. */
  sizes: ({ effort, hasSimdjson }: { effort: Effort; hasSimdjson: boolean }) =>
    [100, 1_000, 10_000, 100_000, 1_000_000].map((size) => {
      const { tasks, bytes } = parsersOf(ledgerOf(size), hasSimdjson)
      return { bytes, timings: interleave(tasks, effort) }
    }),
  /** Reads N values one by one, joined in one parse, and in the record format. */
  coalescing: ({ effort }: { effort: Effort }) =>
    [100, 1_000, 10_000].flatMap((size) =>
      [1, 10, 100, 1_000].map((reads) => {
        const { tasks, bytes } = batchesOf(ledgerOf(size), reads)
        return { bytes, reads, timings: interleave(tasks, effort) }
      }),
    ),
})
export type Roundtrips = typeof methods

/** All models before one is timed, as in an application: shared code has then met the shapes of all of them. */
const verifiedOf = (name: CandidateName, quick: boolean): ReadonlyMap<string, Verified> =>
  new Map(
    FIXTURES.slice(0, quick ? QUICK_FIXTURES : undefined).map((fixture) => [
      fixture.name,
      verify(fixture, candidateOf(name, fixture)),
    ]),
  )

function candidateOf(name: CandidateName, fixture: Fixture): Candidate {
  if (name === 'v1') return createPrefixes()
  if (name === 'v2') {
    const { stringify } = fixture.createStringifier()
    const { revive } = fixture.createReviver()
    return textCandidate(name, stringify as (row: unknown) => string, (text) => revive(text))
  }
  return codecCandidate(name, fixture.compile())
}

/** To bytes, from received text, or to bytes and from these. */
function operationOf(name: OperationName, { tasks }: Verified): Operation {
  const { decode, encode, read } = tasks
  if (name === 'serialize') return encode
  if (name === 'deserialize') return decode
  return {
    inputs: encode.inputs,
    run: (row) => read.run(encode.run(row) as never),
  }
}

const meanBytes = (texts: readonly string[]): number =>
  Math.round(mean(texts.map((text) => Buffer.byteLength(text))))

function parsersOf(fixture: Fixture, hasSimdjson: boolean): { tasks: readonly Task[]; bytes: number } {
  const { rows } = fixture
  const json = fixture.compile('json')
  const record = fixture.compile('record')
  const texts = rows.map((row) => json.encode(row))
  const records = rows.map((row) => record.encode(row))
  const plain = texts.map((text) => JSON.parse(text) as unknown)
  const tasks = [readingTask('JSON.parse', texts, (text) => JSON.parse(text) as unknown, plain)]
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
  return { tasks, bytes: meanBytes(texts) }
}

/** Different batches, so that they do not all stay in the processor's caches. */
const BATCHES = 3

function batchesOf({ rows, compile }: Fixture, reads: number): { tasks: readonly Task[]; bytes: number } {
  const record = compile('record')
  const texts = rows.map((row) => JSON.stringify(row))
  type Batch = readonly string[]
  const taskOf = (
    name: string,
    values: readonly string[],
    run: (batch: Batch) => unknown[],
    expected: readonly unknown[],
  ): Task => {
    const places = Array.from({ length: BATCHES * reads }, (_, place) => place % values.length)
    const batches = Array.from({ length: BATCHES }, (_, batch) =>
      places.slice(batch * reads, (batch + 1) * reads),
    )
    const inputs = batches.map((batch) => batch.map((place) => Buffer.from(values[place]!).toString('utf8')))
    const [first] = inputs
    readingTask(name, ['all'], () => run(first!), [batches[0]!.map((place) => expected[place])])
    return { name, inputs, run }
  }
  const plain = texts.map((text) => JSON.parse(text) as unknown)
  const oneByOne = (batch: Batch): unknown[] => batch.map((text) => JSON.parse(text) as unknown)
  const joined = (batch: Batch): unknown[] => JSON.parse(`[${batch.join(',')}]`) as unknown[]
  const decoded = (batch: Batch): unknown[] => batch.map((text) => record.decode(text))
  return {
    bytes: meanBytes(texts),
    tasks: [
      taskOf('one by one', texts, oneByOne, plain),
      taskOf('joined', texts, joined, plain),
      taskOf(
        'record format',
        rows.map((row) => record.encode(row)),
        decoded,
        rows,
      ),
    ],
  }
}
