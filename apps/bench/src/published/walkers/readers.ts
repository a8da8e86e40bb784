import { readingTask } from '../../harness/codecs/verify.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import type { Task } from '../../harness/interleave.ts'
import { compileWalk, DATES, trieOf, walkTrie, type Walk } from './walks.ts'

/** Without the fixture that not every machine has. */
export const measured = allFixtures.filter(({ name }) => name !== 'GalaLots')

/** All ways to read a row. @throws when one does not restore a row */
export function readersOf(fixture: Fixture): Task[] {
  const { rows } = fixture
  const json = fixture.compile('json')
  const record = fixture.compile()
  const texts = rows.map((row) => json.encode(row))
  const plain = texts.map((text) => JSON.parse(text) as unknown)
  const records = rows.map((row) => record.encode(row))
  const walks = Object.entries(DATES).flatMap(([date, revivers]): [string, Walk][] => {
    const root = trieOf(json.plan, revivers)!
    return [
      [`trie, ${date}`, (value) => walkTrie(root, value)],
      [`compiled, ${date}`, compileWalk(root)],
    ]
  })
  return [
    readingTask('JSON.parse', texts, (text) => JSON.parse(text) as unknown, plain),
    ...walks.map(([name, walk]) => readingTask(name, texts, (text) => walk(JSON.parse(text)), rows)),
    readingTask('json', texts, (text) => json.decode(text), rows),
    readingTask('record', records, (text) => record.decode(text), rows),
  ]
}

/** Dates in a value, at any depth. */
export function countDates(value: unknown): number {
  if (value instanceof Date) return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, entry) => sum + countDates(entry), 0)
}
