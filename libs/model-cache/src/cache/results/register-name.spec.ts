import { lasting, modelOfRegister, registerNameOf } from './register-name.js'

it.each([
  ['Item', undefined, 'Item.results'],
  ['Item', 'userId', 'Item.results.userId'],
  ['#95', undefined, '#95.results'],
  // Stored results that may be stale count by this name.
  [lasting, undefined, 'lasting.results'],
  ['lasting', undefined, '#lasting.results'],
  ['lasting', 'userId', '#lasting.results.userId'],
])('the register of %s, by %s, is named %s', (model, field, name) => {
  expect(registerNameOf(model, field)).toBe(name)
  expect(modelOfRegister(name)).toBe(model)
})

it('no cache of rows has such a name', () => {
  for (const name of ['Item', 'results', '.results', 'Item.result', 'Item.results2'])
    expect(modelOfRegister(name)).toBeUndefined()
})
