import { isDeepStrictEqual } from 'node:util'
import type { Candidate, Operation } from './candidates/candidate.ts'
import type { Fixture } from './fixtures/fixture.ts'
import type { Task } from '../measure/interleave.ts'

/** A candidate that has brought back every row of a fixture, ready to be timed. */
export interface Verified {
  readonly candidate: Candidate
  /** Mean length of a stored row. */
  readonly bytes: number
  readonly tasks: Readonly<Record<Operation, Task>>
  /** What a client library does before text can be decoded. */
  readonly arrival: Task
}

/** @throws when a row comes back as anything but what it has to be */
export function verify(fixture: Fixture, candidate: Candidate): Verified {
  const { name } = candidate
  const taken = fixture.rows.map((row) => candidate.take(row))
  // Copied: msgpackr goes on in the buffer of which it gave a part.
  const stored = taken.map((value) => Buffer.from(candidate.encode(value)))
  const arrived = stored.map((bytes) => arrive(candidate, bytes))
  arrived.forEach((value, index) => {
    const expected = candidate.expected(fixture.rows[index])
    if (!isDeepStrictEqual(candidate.decode(value as never), expected)) {
      throw new Error(`${name} does not bring row ${index} of ${fixture.name} back.`)
    }
  })
  return {
    candidate,
    bytes: Math.round(stored.reduce((sum, bytes) => sum + bytes.length, 0) / stored.length),
    tasks: {
      decode: { name, inputs: arrived, run: candidate.decode },
      encode: { name, inputs: taken, run: candidate.encode },
    },
    arrival: { name, inputs: stored, run: (bytes: Buffer) => bytes.toString('utf8') },
  }
}

/** As ioredis hands it over: a string fresh from its bytes, in one piece. */
function arrive(candidate: Candidate, bytes: Buffer): string | Buffer {
  return candidate.reads === 'text' ? bytes.toString('utf8') : bytes
}
