import assert from 'node:assert/strict'
import { Decimal } from '@prisma/client/runtime/client'
import { undecodable } from 'model-cache/codec'
import type { WirePlan } from '../arbitrary/plans.ts'
import { allowedBy } from '../arbitrary/schemas.ts'
import {
  assertPrototypesUntouched,
  assertSame,
  decodeArrived,
  throughSocket,
  type AnyCodec,
} from './property.ts'
import { codecsOf } from './variants.ts'

const judges = new WeakMap<WirePlan, (row: unknown) => boolean>()

/**
 * Reads text that may be anything. Either the codec refuses it, or it gives a row that is one: ArkType allows it, every
 * codec of the schema writes it, copies it and gives it back unchanged, and its decimals are such as their constructor
 * makes. Nothing is thrown, and nothing is left behind in the prototypes of the process.
 */
export function readDoubtful(plan: WirePlan, codec: AnyCodec, text: string): void {
  const row = codec.decode(text)
  assertPrototypesUntouched()
  if (text.isWellFormed()) assertSame(decodeArrived(codec, text), row, 'what was read of its bytes')
  if (row === undecodable) return
  if (row === null || row === undefined) {
    return assert.equal(text, codec.encode(row), `${row} was read from what does not stand for it`)
  }
  const judge = judges.get(plan) ?? allowedBy(plan)
  judges.set(plan, judge)
  const shown = JSON.stringify(text.slice(0, 500))
  assert.ok(judge(row), `a row that the schema does not allow was read from ${shown}`)
  assertDecimalsAreWhole(row)
  for (const other of codecsOf(plan).values()) {
    assertSame(
      other.decode(throughSocket(other.encode(row))),
      row,
      `what was read from ${shown}, written and read`,
    )
    assertSame(other.clone(row), row, `the copy of what was read from ${shown}`)
  }
}

function assertDecimalsAreWhole(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (!Decimal.isDecimal(value)) return Object.values(value).forEach(assertDecimalsAreWhole)
  const { s, e, d } = new Decimal(value.toString())
  const { s: sign, e: exponent, d: digits } = value
  // The text of -0 has no sign.
  assertSame(
    { s: value.isZero() ? sign : s, e, d },
    { s: sign, e: exponent, d: digits },
    'the parts of a decimal',
  )
}
