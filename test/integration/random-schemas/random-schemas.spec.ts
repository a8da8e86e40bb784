import { describeOn } from '../../support/describe-databases.ts'
import { compareAnnounced } from './compare-announced.ts'

describeOn(['postgresql', 'mysql', 'sqlite'], 'random schemas on $name', ({ name, ...kind }) => {
  it('have writes that announce each row that they change, and each row that enters a lookup', async () => {
    const schemas = name === 'postgresql' ? 16 : 5
    const { changing, missed } = await compareAnnounced({ name, ...kind }, { first: 1, schemas, writes: 8 })
    expect(missed).toBeUndefined()
    expect(changing).toBeGreaterThan(schemas)
  })
})
