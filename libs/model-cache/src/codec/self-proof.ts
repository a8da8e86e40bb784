import { isDeepStrictEqual } from 'node:util'
import { codecProofError } from '../configuration-errors.js'
import type { RowFunctions } from './codec.js'
import { scalarOf } from './scalars.js'
import { partsOf, type Path, showPath, type WirePlan } from './wire-plan.js'

/** Enough rows to include each sample of each kind once, null and undefined included; as many per branch of a union. */
const roundsPerBranch = 8

/**
 * Sends rows generated from the plan through a codec, which would change real rows if it changes one of these.
 *
 * @returns the decoded rows, at least one of each shape
 * @throws ConfigurationError naming the path that changed
 */
export function proveCodec(codec: RowFunctions<unknown>, plan: WirePlan, model: string): readonly unknown[] {
  const rows: unknown[] = []
  const rounds = roundsPerBranch * branchesOf(plan)
  for (let round = 0; round < rounds; round++) {
    const row = sampleOf(plan, round)
    const returned = attempt(() => codec.decode(codec.encode(row)), model)
    const arrived = attempt(() => codec.decodeUtf8(Buffer.from(codec.encode(row))), model)
    const isNullish = row === null || row === undefined
    const copy = attempt(() => (isNullish ? row : codec.clone(row)), model)
    const copies = attempt(() => (isNullish ? [row] : codec.cloneMany(row, 2)), model) as unknown[]
    // Compares a copy, since `isDeepStrictEqual` of some Node versions distinguishes frozen dates from plain ones.
    const frozen = attempt(() => (isNullish ? row : codec.clone(codec.freeze(codec.clone(row)))), model)
    const normal = attempt(() => codec.normalize(row), model)
    for (const result of [returned, arrived, copy, ...copies, frozen, normal]) {
      const path = differenceOf(row, result)
      if (path) throw codecProofError(model, showPath(path), at(row, path), at(result, path))
    }
    rows.push(returned)
  }
  return rows
}

function attempt(roundTrip: () => unknown, model: string): unknown {
  try {
    return roundTrip()
  } catch (error) {
    throw codecProofError(model, '', 'a generated row', 'an error', error)
  }
}

/** Returns a value that matches the plan; `round` selects among its samples. */
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
      // Each branch gets one block of rounds per branch of the unions within it.
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

/** Number of branches, including those of nested unions. Sibling unions are sampled in the same rounds. */
function branchesOf(plan: WirePlan): number {
  const counts = partsOf(plan).map(branchesOf)
  return plan.kind === 'union' ? counts.reduce((sum, count) => sum + count, 0) : Math.max(1, ...counts)
}

function sampleObject(fields: (WirePlan & { kind: 'object' })['fields'], round: number): object {
  const row: Record<string, unknown> = {}
  for (const { name, optional, plan } of fields) {
    // A missing key in this round, explicit undefined in another.
    if (optional && round % 8 === 3) continue
    row[name] = sampleOf(plan, round)
  }
  return row
}

/** Returns the path of the first difference, or undefined if there is none. */
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
  return path.reduce<unknown>((parent, key) => (parent as Record<string, unknown>)[key], value)
}
