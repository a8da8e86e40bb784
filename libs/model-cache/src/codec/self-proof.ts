import { isDeepStrictEqual } from 'node:util'
import { CodecProofError } from '../errors.js'
import type { Codec } from './codec.js'
import { undecodable } from './codec.js'
import { scalarOf } from './scalars.js'
import type { Path, WirePlan } from './wire-plan.js'
import { showPath } from './wire-plan.js'

/** Rows enough to show each sample of each kind once, absent values included; as many for each branch of a union. */
const roundsPerBranch = 8

/**
 * Sends rows made from the plan through a codec. A codec that changes one would change real ones too.
 *
 * @returns the rows that the codec has read, of each shape one at least
 * @throws CodecProofError naming the path that came back different
 */
export function proveCodec(codec: Codec<unknown>, plan: WirePlan, model: string): readonly unknown[] {
  const rows: unknown[] = []
  const rounds = roundsPerBranch * branchesOf(plan)
  for (let round = 0; round < rounds; round++) {
    const row = sampleOf(plan, round)
    const returned = attempt(() => codec.decode(codec.encode(row)), model)
    const arrived = attempt(() => codec.decodeUtf8(Buffer.from(codec.encode(row))), model)
    const isAbsent = row === null || row === undefined
    const copy = attempt(() => (isAbsent ? row : codec.clone(row)), model)
    const copies = attempt(() => (isAbsent ? [row] : codec.cloneMany(row, 2)), model) as unknown[]
    // By a copy of it: for `isDeepStrictEqual` of some versions of Node a guarded date does not equal a plain one.
    const frozen = attempt(() => (isAbsent ? row : codec.clone(codec.freeze(codec.clone(row)))), model)
    const normal = codec.normalize(row)
    for (const result of [returned, arrived, copy, ...copies, frozen, normal]) {
      const path = result === undecodable ? [] : differenceOf(row, result)
      if (path) throw new CodecProofError(model, showPath(path), at(row, path), at(result, path))
    }
    rows.push(returned)
  }
  return rows
}

function attempt(roundTrip: () => unknown, model: string): unknown {
  try {
    return roundTrip()
  } catch (error) {
    throw new CodecProofError(model, '', 'a generated row', 'an error', error)
  }
}

/** A value of the plan; `round` chooses among its samples. */
export function sampleOf(plan: WirePlan, round: number): unknown {
  if (plan.nullable && round % 4 === 2) return null
  if (plan.undefinable && round % 4 === 3) return undefined
  const samples = samplesOf(plan, round)
  return samples[round % samples.length]
}

function samplesOf(plan: WirePlan, round: number): readonly unknown[] {
  const scalar = scalarOf(plan)
  if (scalar) return scalar.samples()
  switch (plan.kind) {
    case 'string':
      return ['', 'lot "H1" \\ ünïcode 🎁 \u2028', 'date:2024-01-01', '{"a":1}', 'null']
    case 'number':
      return [0, -0, 1.5, Number.MAX_SAFE_INTEGER, 5e-324]
    case 'boolean':
      return [true, false]
    case 'literal':
      return plan.values.length > 0 ? plan.values : [plan.nullable ? null : undefined]
    case 'json':
      return [{ a: [1, 'x', null, { b: false }] }, {}, [], { nested: { deep: [[]] } }, [{ a: 1 }, { a: 2 }]]
    case 'array':
      return [
        [],
        [sampleOf(plan.items, round)],
        [sampleOf(plan.items, round), sampleOf(plan.items, round + 1)],
      ]
    case 'tuple':
      return [plan.items.map((item, i) => sampleOf(item, round + i))]
    case 'record':
      return [{}, { 'a key': sampleOf(plan.values, round), constructor: sampleOf(plan.values, round + 1) }]
    case 'object':
      return [sampleObject(plan.fields, round)]
    case 'union': {
      // Each branch for some rounds, and for as many more as the unions within it have branches.
      let block = Math.trunc(round / roundsPerBranch) % branchesOf(plan)
      const { plan: branch } = plan.branches.find((candidate) => {
        const isHere = block < branchesOf(candidate.plan)
        if (!isHere) block -= branchesOf(candidate.plan)
        return isHere
      })!
      return [sampleOf(branch, (round % roundsPerBranch) + block * roundsPerBranch)]
    }
    default:
      return []
  }
}

/** How many branches there are, those of unions within branches included; unions side by side are shown at once. */
function branchesOf(plan: WirePlan): number {
  switch (plan.kind) {
    case 'union':
      return plan.branches.reduce((sum, branch) => sum + branchesOf(branch.plan), 0)
    case 'object':
      return Math.max(1, ...plan.fields.map((field) => branchesOf(field.plan)))
    case 'tuple':
      return Math.max(1, ...plan.items.map(branchesOf))
    case 'array':
      return branchesOf(plan.items)
    case 'record':
      return branchesOf(plan.values)
    default:
      return 1
  }
}

function sampleObject(fields: (WirePlan & { kind: 'object' })['fields'], round: number): object {
  const row: Record<string, unknown> = {}
  for (const { name, optional, plan } of fields) {
    // Explicit undefined in one round, a missing key in another.
    if (optional && round % 8 === 3) continue
    row[name] = sampleOf(plan, round)
  }
  return row
}

/** The path of the first difference, or undefined when there is none. */
function differenceOf(a: unknown, b: unknown, path: Path = []): Path | undefined {
  if (isDeepStrictEqual(a, b)) return undefined
  if (!isContainer(a) || !isContainer(b)) return path
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inA = Object.hasOwn(a, key)
    if (inA !== Object.hasOwn(b, key)) return [...path, key]
    const found = differenceOf(at(a, [key]), at(b, [key]), [...path, key])
    if (found) return found
  }
  return path
}

const isContainer = (value: unknown): value is object =>
  Array.isArray(value) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, key) => (parent as Record<string, unknown> | null | undefined)?.[key],
    value,
  )
}
