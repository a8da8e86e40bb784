import { describeOn } from '../../support/describe-databases.ts'
import { compareAnnounced } from './compare-announced.ts'

/** To look for more than a test run has time for. */
const first = Number(process.env.SCHEMAS_SEED ?? 1_000)
const schemas = Number(process.env.SCHEMAS ?? 400)

describeOn(['postgresql', 'mysql', 'sqlite'], 'many random schemas on $name', (kind) => {
  it('have writes that announce each row that they change, and each row that enters a lookup', async () => {
    const found = await compareAnnounced(kind, { first, schemas, writes: 25 })
    const { changing, missed, others, plain, repeated, whole, wholeOfOthers } = found
    expect(missed).toBeUndefined()
    expect(changing).toBeGreaterThan(schemas * 5)
    expect(repeated).toBeGreaterThan(schemas)
    process.stdout.write(
      `${changing} writes changed rows; ${whole} of ${plain} plain ones announced all rows of a model, and ${wholeOfOthers} of ${others} in SQL, of views, with triggers or by a role\n`,
    )
  })
})
