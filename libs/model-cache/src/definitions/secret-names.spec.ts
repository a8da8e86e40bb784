import { namesSecret } from './verify-definition.js'

it.each([
  'password',
  'passwordHash',
  'userpassword',
  'userPasswd',
  'secret',
  'secrets',
  'apiSecret',
  'client_secret',
  'token',
  'access_token',
  'refreshTokens',
  'tokenId',
  'hash',
  'pinHashes_hash',
  'hashOfPin',
])('takes "%s" for a secret', (name) => {
  expect(namesSecret(name)).toBe(true)
})

it.each([
  'secretary',
  'hashtag',
  'tokenizer',
  'apiTokenizer',
  'passage',
  'compass',
  'rehash',
  'betoken',
  'name',
])('takes "%s" for no secret', (name) => {
  expect(namesSecret(name)).toBe(false)
})
