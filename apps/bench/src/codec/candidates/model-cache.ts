import type { Codec } from 'model-cache/codec'
import type { Fixture } from '../fixtures/fixture.ts'
import { textCandidate, type Candidate } from './candidate.ts'

/** This library: what one gets without asking, each format and reviver by name, and the parts that it exports. */
export function createModelCache(fixture: Fixture): Candidate[] {
  const record = fixture.compile('record')
  return [
    codecCandidate('default', fixture.compile()),
    // For a shape that a record cannot hold, asking for one gives the other format.
    ...(record.format === 'record' ? [codecCandidate('record', record)] : []),
    codecCandidate('json-compiled', fixture.compile('json')),
    codecCandidate('json-trie', fixture.compileTrie()),
    reviverCandidate(fixture),
    stringifierCandidate(fixture),
  ]
}

function codecCandidate(name: string, codec: Codec<unknown>): Candidate {
  return textCandidate(
    name,
    (row: unknown) => codec.encode(row),
    (text) => codec.decode(text),
  )
}

/** `createReviver`: the trie alone, without the check that what it was given is a row. */
function reviverCandidate(fixture: Fixture): Candidate {
  const { encode } = fixture.compile('json')
  const reviver = fixture.createReviver()
  return textCandidate('json-trie-unchecked', encode, (text) => reviver.revive(text), { timed: ['decode'] })
}

/** `createStringifier`: fast-json-stringify behind the check that every row passes before it is written. */
function stringifierCandidate(fixture: Fixture): Candidate {
  const stringifier = fixture.createStringifier()
  const { decode } = fixture.compile('json')
  return textCandidate('fast-json-stringify', (row: unknown) => stringifier.stringify(row), decode, {
    timed: ['encode'],
  })
}
