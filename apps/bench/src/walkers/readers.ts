import { isDeepStrictEqual } from 'node:util'
import type { Fixture } from '../codec/fixtures/fixture.ts'
import type { Task } from '../measure/interleave.ts'
import { compileWalk, DATES, trieOf, walkTrie, type Walk } from './walkers.ts'

export const CEILING = 'JSON.parse'

/** What to know before comparing, by reader. */
export const NOTES: Readonly<Record<string, string>> = {
  [CEILING]: 'the ceiling: nothing is brought back',
  'trie, parseISO': 'one function walks a trie of the declared places; dates by date-fns',
  'trie, Date': 'the same walk; dates by new Date(text)',
  'compiled, parseISO': 'the walk as generated straight-line code; dates by date-fns',
  'compiled, Date': 'the same code; dates by new Date(text)',
  'json-trie': 'this library where code generation is forbidden: the trie, and every row checked',
  'json-compiled': 'this library’s json format: compiled, and every row checked',
  record: 'this library’s default codec: no JSON at all where a row can be a record, and every row checked',
}

/** All ways of reading a row, verified. @throws when one does not bring a row back */
export function readersOf(fixture: Fixture): Task[] {
  const json = fixture.compile('json')
  const trie = fixture.compileTrie()
  const record = fixture.compile()
  const texts = fixture.rows.map((row) => arrived(json.encode(row)))
  const walkers = Object.entries(DATES).flatMap(([date, revivers]): [string, Walk][] => {
    const root = trieOf(fixture.places, revivers)
    return [
      [`trie, ${date}`, (value) => walkTrie(root, value)],
      [`compiled, ${date}`, compileWalk(root)],
    ]
  })
  return [
    { name: CEILING, inputs: texts, run: (text: string) => JSON.parse(text) as unknown },
    ...walkers.map(([name, walk]) => reader(fixture, name, texts, (text) => walk(JSON.parse(text)))),
    reader(fixture, 'json-trie', texts, (text) => trie.decode(text)),
    reader(fixture, 'json-compiled', texts, (text) => json.decode(text)),
    reader(
      fixture,
      'record',
      fixture.rows.map((row) => arrived(record.encode(row))),
      (text) => record.decode(text),
    ),
  ]
}

function reader(
  fixture: Fixture,
  name: string,
  inputs: readonly string[],
  run: (text: string) => unknown,
): Task {
  inputs.forEach((text, index) => {
    if (isDeepStrictEqual(run(text), fixture.rows[index])) return
    throw new Error(`${name} does not bring row ${index} of ${fixture.name} back.`)
  })
  return { name, inputs, run }
}

/** As a client library hands it over: a string in one piece, made of its bytes. */
const arrived = (text: string): string => Buffer.from(text).toString('utf8')
