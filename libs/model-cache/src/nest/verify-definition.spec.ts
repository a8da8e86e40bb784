import { type } from 'arktype'
import { compilePlan } from '../codec/compile-plan.js'
import { unselectedSecrets } from './verify-definition.js'

describe('unselectedSecrets', () => {
  const schema = type({
    id: 'string',
    passwordHash: 'string',
    sessions: type({ id: 'string', refreshToken: 'string', secretary: 'string' }).array(),
  })
  const secretsWith = (select?: object) => unselectedSecrets({ select }, compilePlan(schema, 'User'))

  it('returns secret-looking fields that no select lists', () => {
    const sessions = { select: { id: true, refreshToken: true, secretary: true } }
    expect(secretsWith()).toEqual(['passwordHash', 'sessions.refreshToken'])
    expect(secretsWith({ id: true, passwordHash: true, sessions: true })).toEqual(['sessions.refreshToken'])
    expect(secretsWith({ id: true, passwordHash: true, sessions })).toEqual([])
  })
})
