import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createCodec, createStringifier, type Codec } from 'model-cache/codec'
import type { PlanOf, WirePlan } from '../arbitrary/plans.ts'
import { schemaOf } from '../arbitrary/schemas.ts'
import { assertSame, decodeArrived, type AnyCodec, type CodecProperty } from './property.ts'
import { planWithRows } from './round-trip.ts'
import { codecsOf, forEachVariant, pathsOf } from './variants.ts'

/** What the codec compiles a schema to, its rows, and the same plan with fields and constants in another order. */
const planInTwoOrders = fc.tuple(planWithRows, fc.nat()).map(([[given, rows], seed]) => ({
  given,
  rows,
  turned: shuffled(codecsOf(given).get('by default')!.plan, seed),
}))

export const fieldOrders: readonly CodecProperty[] = [
  {
    name: 'plans that differ in the order of fields and constants read what the other wrote, with their own order of keys',
    runs: 50,
    property: fc.property(planInTwoOrders, ({ given, rows, turned }) =>
      forEachVariant(given, (codec, variant) => {
        const other = createCodec(turned, optionsOf(codec, variant, given)) as AnyCodec
        assert.equal(other.fingerprint, codec.fingerprint)
        for (const row of rows) {
          assertReads(codec, other.encode(row), row)
          assertReads(other, codec.encode(row), row)
          assertReads(other, other.encode(row), row)
          if (row === null || row === undefined) continue
          for (const one of [other.normalize(row), other.clone(row), ...other.cloneMany(row, 2)]) {
            assertSame(one, row, 'the row')
            assertKeys(other.plan, one)
          }
          const record = codec.encode(row)
          if (record.startsWith('#')) assert.equal(other.encode(row), record)
        }
      }),
    ),
  },
]

function assertReads(reader: AnyCodec, text: string, row: unknown): void {
  for (const read of [reader.decode(text), decodeArrived(reader, text)]) {
    assertSame(read, row, 'the row that was read')
    assertKeys(reader.plan, read)
  }
}

function optionsOf({ format }: Codec<unknown>, variant: string, plan: WirePlan) {
  if (!variant.includes('by hand')) return { name: 'Random', format }
  const schema = schemaOf(plan)
  return {
    name: 'Random',
    reviver: pathsOf(plan),
    stringifier: createStringifier()(schema as never),
  } as never
}

/** Checks that keys have the order of the plan, required ones first. V8 puts integers before all others. */
function assertKeys(plan: WirePlan, value: unknown): void {
  if (value === null || value === undefined) return
  const entries = value as Record<string, unknown>
  switch (plan.kind) {
    case 'object': {
      const names = [false, true].flatMap((optional) =>
        plan.fields.filter((field) => field.optional === optional).map(({ name }) => name),
      )
      const expected = Object.fromEntries(
        names.filter((name) => Object.hasOwn(entries, name)).map((name) => [name, 0]),
      )
      assert.deepEqual(Object.keys(entries), Object.keys(expected))
      return plan.fields.forEach((field) => assertKeys(field.plan, ownOf(entries, field.name)))
    }
    case 'array':
      return (value as unknown[]).forEach((item) => assertKeys(plan.items, item))
    case 'tuple':
      return plan.items.forEach((item, i) => assertKeys(item, (value as unknown[])[i]))
    case 'record':
      return Object.values(entries).forEach((entry) => assertKeys(plan.values, entry))
    case 'union': {
      const constant = ownOf(entries, plan.discriminator)
      const branch = plan.branches.find(({ constants }) => constants.includes(constant as never))
      return assertKeys(branch!.plan, value)
    }
  }
}

const ownOf = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The plan with the fields of every object, and constants, in an order that the seed gives. */
function shuffled(plan: WirePlan, seed: number): WirePlan {
  switch (plan.kind) {
    case 'object':
      return shuffledObject(plan, seed)
    case 'array':
      return { ...plan, items: shuffled(plan.items, seed) }
    case 'tuple':
      return { ...plan, items: plan.items.map((item) => shuffled(item, seed)) }
    case 'record':
      return { ...plan, values: shuffled(plan.values, seed) }
    case 'union':
      return shuffledUnion(plan, seed)
    case 'literal':
      return { ...plan, values: inAnyOrder(plan.values, seed) }
    default:
      return plan
  }
}

function shuffledObject(plan: PlanOf<'object'>, seed: number): PlanOf<'object'> {
  const fields = plan.fields.map((field) => ({ ...field, plan: shuffled(field.plan, seed) }))
  return { ...plan, fields: inAnyOrder(fields, seed) }
}

function shuffledUnion(plan: PlanOf<'union'>, seed: number): PlanOf<'union'> {
  const branches = plan.branches.map((branch) => ({
    ...branch,
    plan:
      branch.plan.kind === 'object' ? shuffledObject(branch.plan, seed) : shuffledUnion(branch.plan, seed),
  }))
  return { ...plan, branches }
}

/** The permutation with this number, of those of the list. */
function inAnyOrder<T>(list: readonly T[], number: number): readonly T[] {
  const left = [...list]
  const taken: T[] = []
  for (let rest = number; left.length > 0; rest = Math.trunc(rest / (left.length + 1)))
    taken.push(...left.splice(rest % left.length, 1))
  return taken
}
