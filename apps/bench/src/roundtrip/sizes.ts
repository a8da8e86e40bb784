import { isDeepStrictEqual } from 'node:util'
import { interleave, type Effort, type Task } from '../measure/interleave.ts'
import { loadSimdjson } from '../simdjson/simdjson.ts'
import { ledgerOf } from './ledger.ts'
import type { SizeResult } from './roundtrip-measurements.ts'

/** Bytes of JSON. */
const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]

/** What reading a value takes, by parser and size. @throws when a parser does not bring a value back */
export function measureSizes(effort: Effort, hasSimdjson: boolean): SizeResult[] {
  return SIZES.map((size) => {
    const { tasks, bytes } = tasksOf(size, hasSimdjson)
    return { bytes, timings: interleave(tasks, effort) }
  })
}

function tasksOf(size: number, hasSimdjson: boolean): { tasks: readonly Task[]; bytes: number } {
  const fixture = ledgerOf(size)
  const json = fixture.compile('json')
  const record = fixture.compile('record')
  const texts = fixture.rows.map((row) => arrived(json.encode(row)))
  const plain = texts.map((text) => JSON.parse(text) as unknown)
  const reader = (
    name: string,
    run: (text: string) => unknown,
    expected: readonly unknown[],
    inputs = texts,
  ): Task => {
    inputs.forEach((text, index) => {
      if (!isDeepStrictEqual(run(text), expected[index]))
        throw new Error(`${name} does not bring a value of ${size} bytes back.`)
    })
    return { name, inputs, run }
  }
  const simdjson = hasSimdjson ? loadSimdjson() : undefined
  return {
    bytes: Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length),
    tasks: [
      reader('JSON.parse', (text) => JSON.parse(text) as unknown, plain),
      ...(simdjson
        ? [
            reader('simdjson.parse', (text) => simdjson.parse(text), plain),
            lazyReader(simdjson, texts, plain),
          ]
        : []),
      reader('json format', (text) => json.decode(text), fixture.rows),
      reader(
        'record format',
        (text) => record.decode(text),
        fixture.rows,
        fixture.rows.map((row) => arrived(record.encode(row))),
      ),
    ],
  }
}

/** One value of the text alone: the least that its tape can be asked for. */
function lazyReader(
  { lazyParse }: ReturnType<typeof loadSimdjson>,
  texts: readonly string[],
  plain: readonly unknown[],
): Task {
  const run = (text: string): unknown => lazyParse(text).valueForKeyPath('id')
  texts.forEach((text, index) => {
    if (run(text) !== (plain[index] as { id: string }).id)
      throw new Error('simdjson.lazyParse does not find an id.')
  })
  return { name: 'simdjson.lazyParse, one field', inputs: texts, run }
}

/** As a client library hands it over: a string in one piece, made of its bytes. */
const arrived = (text: string): string => Buffer.from(text).toString('utf8')
