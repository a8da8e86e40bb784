import { keyFieldsOf } from './joined-lookups.js'

it('names the fields of the keys of lookups, each once', () => {
  const lookup = (key: readonly string[] | undefined) => ({ key, fields: undefined, through: undefined })
  const lookups = [['org', 'team'], undefined, ['team', 'name']].map(lookup)
  expect(keyFieldsOf(lookups)).toEqual(['org', 'team', 'name'])
})
