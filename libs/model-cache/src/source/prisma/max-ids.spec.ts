import { maxIdsPerStatement } from './max-ids.js'

it.each([
  ['sqlite', 999],
  ['sqlserver', 2_098],
  ['postgresql', 32_766],
  ['cockroachdb', 32_766],
  ['mysql', 65_535],
])('takes fewer parameters than a statement of %s, with ids of any number of fields', (provider, limit) => {
  for (const fields of [1, 2, 3]) {
    const parameters = maxIdsPerStatement(provider, fields) * fields
    expect(parameters).toBeLessThan(limit)
    expect(parameters).toBeGreaterThan(limit - 20)
  }
})
