import { inTurn } from '../measure/in-turn.ts'
import { say } from '../progress.ts'
import type { Figure } from '../figure.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { allFormats } from './all-formats.ts'
import type { Format, Way } from './format.ts'
import type { FormatCalls, FormatsMeasurements } from './formats-measurements.ts'
import type { Order } from './measure-format.ts'
import { measureInProcess } from './measure-in-process.ts'
import { presentFormats } from './present-formats.ts'
import { summarise } from './summarise.ts'

interface Effort extends Pick<Order, 'trips' | 'warmUps' | 'calls'> {
  readonly rounds: number
}

const FULL: Effort = { trips: 100_000, warmUps: 1, calls: 3, rounds: 2 }
const QUICK: Effort = { trips: 2_000, warmUps: 2, calls: 5, rounds: 1 }

/** 100,000 rides on shared bikes to bytes and back, by this library and by others, untuned and tuned. */
export const formatsSuite: Suite<FormatsMeasurements> = {
  packages: ['arktype', 'avsc', 'bebop', 'cbor-x', 'fast-json-stringify', 'msgpackr', 'pbf', 'protobufjs'],
  run: measure,
  present: presentFormats,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<FormatsMeasurements> {
  const { rounds, ...effort } = quick ? QUICK : FULL
  const formats = chooseFormats(only)
  const cases = formats.flatMap(({ name, create }) =>
    (Object.keys(create) as Way[]).map((way) => ({ name, way, rounds: [] as FormatCalls[] })),
  )
  for (let round = 0; round < rounds; round++) {
    say(`Round ${round + 1} of ${rounds}: ${cases.length} processes …`)
    for (const { name, way, rounds: measured } of inTurn(cases, round)) {
      say(`  ${name}, ${way}`)
      measured.push(await measureInProcess({ format: name, way, ...effort }))
    }
  }
  return {
    trips: effort.trips,
    rounds,
    results: cases.map((entry) => summarise(entry.name, entry.way, entry.rounds)),
    notes: Object.fromEntries(formats.map(({ name, note }) => [name, note])),
  }
}

/** @throws when a name is not that of a format */
function chooseFormats(only: readonly string[]): readonly Format[] {
  if (only.length === 0) return allFormats
  return only.map((name) => {
    const found = allFormats.find((format) => format.name.toLowerCase() === name.toLowerCase())
    if (found) return found
    throw new Error(
      `There is no format "${name}", only ${allFormats.map((format) => format.name).join(', ')}.`,
    )
  })
}

/** Of the library's own formats; others do not change with it. */
function figuresOf({ results }: FormatsMeasurements): Record<string, Figure> {
  const own = results.filter(({ name }) => name.startsWith('model-cache'))
  return Object.fromEntries(
    own.flatMap(({ name, bytes, encode, decode }) => [
      [`${name}: encode`, lower(encode.cpuMs, 'ms of processor time')],
      [`${name}: decode`, lower(decode.cpuMs, 'ms of processor time')],
      [`${name}: allocated by encode`, lower(encode.heapBytes, 'bytes')],
      [`${name}: allocated by decode`, lower(decode.heapBytes, 'bytes')],
      [`${name}: size`, lower(bytes, 'bytes')],
    ]),
  )
}

const lower = (value: number, unit: string): Figure => ({ value, unit, better: 'lower' })
