import { isDeepStrictEqual } from 'node:util'
import type { Fixture } from '../fixtures/fixture.ts'
import type { Task } from '../interleave.ts'
import { mean } from '../statistics.ts'
import type { Candidate, Operation } from './candidate.ts'

/** A candidate that restores every row of a fixture, ready to be timed. @throws when a row comes back changed */
export function verify(fixture: Fixture, candidate: Candidate) {
  const { name } = candidate
  const taken = fixture.rows.map((row) => candidate.take(row))
  // Copied: msgpackr continues to write into the buffer of which it returned a part.
  const stored = taken.map((value) => Buffer.from(candidate.encode(value)))
  const arrived = stored.map((bytes) => (candidate.reads === 'text' ? bytes.toString('utf8') : bytes))
  arrived.forEach((value, index) => {
    const expected = candidate.expected(fixture.rows[index])
    for (const restored of [candidate.decode(value as never), candidate.read(stored[index]!)])
      if (!isDeepStrictEqual(restored, expected))
        throw new Error(`${name} does not restore row ${index} of ${fixture.name}.`)
  })
  return {
    candidate,
    /** Mean length of a stored row. */
    bytes: Math.round(mean(stored.map((bytes) => bytes.length))),
    tasks: {
      decode: { name, inputs: arrived, run: candidate.decode },
      encode: { name, inputs: taken, run: candidate.encode },
      read: { name, inputs: stored, run: candidate.read },
    } satisfies Record<Operation, Task>,
  }
}
export type Verified = ReturnType<typeof verify>

/** A task of which each input has been tried. @throws when it does not return the expected values */
export function verifiedTask<Input>(
  name: string,
  inputs: readonly Input[],
  run: (input: Input) => unknown,
  expected: readonly unknown[],
): Task {
  inputs.forEach((input, index) => {
    if (!isDeepStrictEqual(run(input), expected[index]))
      throw new Error(`${name} does not restore value ${index}.`)
  })
  return { name, inputs, run }
}

/** A task that reads texts. @throws when it does not return the expected values */
export const readingTask = (
  name: string,
  texts: readonly string[],
  run: (text: string) => unknown,
  expected: readonly unknown[],
): Task => verifiedTask(name, texts.map(received), run, expected)

/** A string as a client library returns it: in one piece, made of its bytes. */
export const received = (text: string): string => Buffer.from(text).toString('utf8')
