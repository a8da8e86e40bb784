import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compileCodec } from 'model-cache/codec'
import { anyName } from '../arbitrary/nasty-strings.ts'
import {
  anyPlan,
  fieldOf,
  laterVersionOf,
  normalised,
  type PlanOf,
  type WirePlan,
} from '../arbitrary/plans.ts'
import { schemaOf } from '../arbitrary/schemas.ts'
import { arbitraryOf } from '../arbitrary/rows.ts'
import { isDeepStrictEqual } from 'node:util'
import { assertSame, throughSocket, type CodecProperty } from './property.ts'
import { codecsOf, forEachVariant } from './variants.ts'

const plain = { nullable: false, undefinable: false }
const canary = 'codecCanary'

/** Names that would run as code if only one character of them were not quoted. */
const attack: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      '"',
      "'",
      '`',
      '\\"',
      '\\\\"',
      '\n',
      '\u2028',
      '\u2029',
      '*/',
      '${',
      '"]',
      '")',
      '}',
      '\\',
      '\r',
      '',
    ),
    fc.constantFrom(';', ',', '+', ')', ']', '}', '\n', ''),
    fc.constantFrom(
      `globalThis.${canary}=1`,
      `(globalThis.${canary}=1)`,
      `\${globalThis.${canary}=1}`,
      `}${canary}(){`,
    ),
    fc.constantFrom('//', '/*', '"', "'", '`', '["', '+"', '}', ';', '\\'),
  )
  .map((parts) => parts.join(''))

const field = (name: fc.Arbitrary<string>) =>
  fc.tuple(name, fc.boolean(), anyPlan).map(([key, optional, plan]) => fieldOf(key, optional, plan))

const attackedPlan: fc.Arbitrary<PlanOf<'object'>> = fc
  .uniqueArray(field(fc.oneof(attack, anyName)), { minLength: 1, maxLength: 6, selector: ({ name }) => name })
  .chain((fields) =>
    fc.uniqueArray(attack, { minLength: 1, maxLength: 3 }).map((values): PlanOf<'object'> => {
      const constants: WirePlan = { ...plain, kind: 'literal', values }
      const others = fields.filter(({ name }) => name !== 'constants')
      return { ...plain, kind: 'object', fields: [...others, fieldOf('constants', true, constants)] }
    }),
  )

export const namesAndVersions: readonly CodecProperty[] = [
  {
    name: 'no name of a field and no constant is run as code',
    runs: 15,
    property: fc.property(
      attackedPlan.chain((plan) => fc.tuple(fc.constant(plan), arbitraryOf(plan))),
      ([plan, row]) => {
        forEachVariant(plan, (codec) => {
          assertSame(codec.decode(throughSocket(codec.encode(row))), row, 'the row that was read')
          assertSame(codec.clone(row), row, 'the copy')
        })
        assert.ok(!(canary in globalThis), 'a name was run as code')
      },
    ),
  },
  {
    name: 'a field named __proto__ is refused with its path',
    runs: 10,
    property: fc.property(anyPlan, anyName, fc.boolean(), (plan, name, optional) => {
      const inner: WirePlan = { ...plain, kind: 'object', fields: [fieldOf('__proto__', optional, plan)] }
      const schema = schemaOf({ ...plain, kind: 'object', fields: [fieldOf(name, false, inner)] })
      assert.throws(() => compileCodec(schema), { code: 'E_UNSUPPORTED_SCHEMA', message: /__proto__/ })
    }),
  },
  {
    name: 'two schemas have one fingerprint only when each reads what the other wrote',
    runs: 20,
    property: fc.property(
      anyPlan
        .filter((plan) => plan.kind === 'object')
        .chain((plan) =>
          fc.tuple(
            fc.constant(plan),
            fc.oneof(laterVersionOf(plan as PlanOf<'object'>), anyPlan),
            fc.array(arbitraryOf(plan), { minLength: 1, maxLength: 3 }),
          ),
        ),
      ([plan, other, rows]) =>
        forEachVariant(plan, (codec, variant) => {
          const reader = codecsOf(other).get(variant)
          if (!reader) return
          const same = codec.fingerprint === reader.fingerprint
          if (!isDeepStrictEqual(normalised(plan), normalised(other)))
            assert.ok(!same, 'two plans, one fingerprint')
          if (same)
            rows.forEach((row) => assertSame(reader.decode(codec.encode(row)), row, 'read by the other'))
        }),
    ),
  },
]
