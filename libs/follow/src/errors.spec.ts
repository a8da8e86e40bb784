import { ModelCacheError } from 'model-cache'
import { asFollowError, followError } from './errors.js'

it('an error of following is not wrapped again', () => {
  const cause = new Error('refused')
  const known = followError('the slot is gone')
  expect(asFollowError(known, 'no connection')).toBe(known)
  for (const other of [cause, new ModelCacheError('E_STORE', 'no')])
    expect(asFollowError(other, 'no connection')).toMatchObject({ code: 'E_FOLLOW', cause: other })
})
