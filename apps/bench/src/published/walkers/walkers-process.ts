/** The process that times all readers of a fixture against each other. */
import { readingTask } from '../../harness/codecs/verify.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { interleave, type Effort, type Task } from '../../harness/interleave.ts'
import { serveParent } from '../../harness/process.ts'
import { mean } from '../../harness/statistics.ts'
import { compileWalk, DATES, trieOf, walkTrie, type Walk } from './walks.ts'

export interface WalkersTask {
  readonly fixtures: readonly string[]
  /** Whether the readers of all fixtures run before anything is timed, not only of those that are. */
  readonly meetsAll: boolean
  readonly effort: Effort
}

const methods = serveParent({
  measure({ fixtures, meetsAll, effort }: WalkersTask) {
    // All models before one is timed, as in an application: shared code has then met the shapes of all of them.
    const all = allFixtures
      .filter(({ name }) => meetsAll || fixtures.includes(name))
      .map((fixture) => ({ fixture, readers: readersOf(fixture) }))
    return all
      .filter(({ fixture }) => fixtures.includes(fixture.name))
      .map(({ fixture: { name, rows }, readers }) => ({
        fixture: name,
        /** Means of a row: bytes of JSON, and dates. */
        bytes: Math.round(mean(readers[0]!.inputs.map((text) => Buffer.byteLength(text as string)))),
        dates: countDates(rows) / rows.length,
        timings: interleave(readers, effort),
      }))
  },
})
export type Walking = typeof methods

/** All ways to read a row. @throws when one does not restore a row */
function readersOf(fixture: Fixture): Task[] {
  const { rows } = fixture
  const json = fixture.compile('json')
  const trie = fixture.compileTrie()
  const record = fixture.compile()
  const texts = rows.map((row) => json.encode(row))
  const walks = Object.entries(DATES).flatMap(([date, revivers]): [string, Walk][] => {
    const root = trieOf(fixture.places, revivers)
    return [
      [`trie, ${date}`, (value) => walkTrie(root, value)],
      [`compiled, ${date}`, compileWalk(root)],
    ]
  })
  const plain = texts.map((text) => JSON.parse(text) as unknown)
  return [
    readingTask('JSON.parse', texts, (text) => JSON.parse(text) as unknown, plain),
    ...walks.map(([name, walk]) => readingTask(name, texts, (text) => walk(JSON.parse(text)), rows)),
    readingTask('json-trie', texts, (text) => trie.decode(text), rows),
    readingTask('json-compiled', texts, (text) => json.decode(text), rows),
    readingTask(
      'record',
      rows.map((row) => record.encode(row)),
      (text) => record.decode(text),
      rows,
    ),
  ]
}

/** Dates in a value, at any depth. */
function countDates(value: unknown): number {
  if (value instanceof Date) return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, entry) => sum + countDates(entry), 0)
}
