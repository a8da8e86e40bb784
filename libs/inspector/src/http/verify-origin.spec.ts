import { type HttpRequest, verifyOrigin } from './verify-origin.js'

const action = { 'x-model-cache-inspector': '1' }

const outcomeOf = (request: HttpRequest): unknown => {
  try {
    verifyOrigin(request)
    return 'answered'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const read = (headers: HttpRequest['headers']) => outcomeOf({ method: 'GET', headers })
const act = (headers: HttpRequest['headers']) => outcomeOf({ method: 'POST', headers })

const origin = 'https://shop.example'

describe('a read', () => {
  it.each([
    ['a program', {}, 'answered'],
    ['the page', { 'sec-fetch-site': 'same-origin' }, 'answered'],
    ['the address bar', { 'sec-fetch-site': 'none' }, 'answered'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 'forbidden_origin'],
    ['another subdomain', { 'sec-fetch-site': 'same-site' }, 'forbidden_origin'],
    [
      'another site with a fitting origin',
      { 'sec-fetch-site': 'cross-site', origin, host: 'shop.example' },
      'forbidden_origin',
    ],
    [
      'the page of an origin without TLS',
      { origin: 'http://shop.example:80', host: 'shop.example' },
      'answered',
    ],
    ['the same host in capitals', { origin, host: 'Shop.Example' }, 'answered'],
    ['another port', { origin: `${origin}:8443`, host: 'shop.example' }, 'forbidden_origin'],
    ['another origin', { origin: 'https://evil.example', host: 'shop.example' }, 'forbidden_origin'],
    ['a sandboxed page', { origin: 'null', host: 'shop.example' }, 'forbidden_origin'],
    ['a page, of a request without a host', { origin }, 'forbidden_origin'],
  ])('of %s: %j is %s', (_, headers, outcome) => {
    expect(read(headers)).toBe(outcome)
  })
})

describe('an action', () => {
  it.each([
    ['a program', action, 'answered'],
    ['the page', { ...action, 'sec-fetch-site': 'same-origin' }, 'answered'],
    ['the address bar', { ...action, 'sec-fetch-site': 'none' }, 'forbidden_origin'],
    ['another site', { ...action, 'sec-fetch-site': 'cross-site' }, 'forbidden_origin'],
    ['a form', { 'sec-fetch-site': 'same-origin' }, 'missing_header'],
    ['a form with another value', { 'x-model-cache-inspector': '0' }, 'missing_header'],
  ])('of %s: %j is %s', (_, headers, outcome) => {
    expect(act(headers)).toBe(outcome)
  })
})
