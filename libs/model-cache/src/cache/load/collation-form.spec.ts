import { looksCanonical, collationFormOf } from './collation-form.js'

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

describe('the spelling of ids', () => {
  it.each([
    ['case', 'Straße', 'STRASSE'],
    ['accents', 'é', 'e'],
    ['accents among other letters', 'a\u0302\u0301b', 'ab'],
    ['trailing spaces', 'a  ', 'a'],
    ['trailing spaces of a field of the id', 'a  :b ', 'a:b'],
    ['the braces and hyphens of a UUID', uuid, `{${uuid.replaceAll('-', '')}}`],
    ['the case of a UUID in a composite id', `1:${uuid}`, `1:${uuid.toUpperCase()}`],
  ])('ignores %s', (_, one, other) => {
    expect(collationFormOf(one)).toBe(collationFormOf(other))
  })

  it.each([
    ['letters', 'a', 'b'],
    ['letters that have accents', 'é', 'ü'],
    ['spaces between letters', 'a b', 'ab'],
    ['spaces before letters', ' a', 'a'],
    ['UUIDs', uuid, uuid.replace('0', '1')],
    ['hyphens outside of a UUID', 'a-b', 'ab'],
    ['fields of the id', 'a:b', 'ab'],
  ])('distinguishes %s', (_, one, other) => {
    expect(collationFormOf(one)).not.toBe(collationFormOf(other))
  })
})

describe('an id', () => {
  it.each([
    ['a UUID as PostgreSQL returns it', uuid],
    ['text that is no UUID', 'A'],
    ['a number', 5],
    ['no object', null],
    ['several fields that look canonical', { a: uuid, b: 'B', c: 5 }],
  ])('looks canonical: %s', (_, id) => {
    expect(looksCanonical(id)).toBe(true)
  })

  it.each([
    ['a UUID in capitals', uuid.toUpperCase()],
    ['a UUID in braces', `{${uuid}}`],
    ['several fields, one of which does not look canonical', { a: 'A', b: uuid.toUpperCase() }],
  ])('does not look canonical: %s', (_, id) => {
    expect(looksCanonical(id)).toBe(false)
  })
})
