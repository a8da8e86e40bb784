import { userOf } from './user-of.js'

describe('userOf', () => {
  it.each([
    [{ user: { id: 'a1', email: 'ada@example.org' } }, 'a1'],
    [{ user: { id: 7 } }, '7'],
    [{ user: { id: '', email: 'ada@example.org' } }, 'ada@example.org'],
    [{ user: { sub: 'auth0|1' } }, 'auth0|1'],
    [{ user: 'ada' }, 'ada'],
    [{ user: { id: { nested: true } } }, 'unknown'],
    [{ user: {} }, 'unknown'],
    [{ user: null }, 'unknown'],
    [{}, 'unknown'],
  ])('finds who makes the request %j', (request, user) => {
    expect(userOf(request)).toBe(user)
  })
})
