import { isCanonicalUuid, isUuid, toCanonicalUuid } from './uuid.js'

const uuid = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'

it.each([
  uuid,
  uuid.toUpperCase(),
  uuid.replaceAll('-', ''),
  `{${uuid}}`,
  '0b9c-1f5e-6d0f-4d7a-9b68-9e7c-0f2f-4c3a',
])('spells %s as PostgreSQL does', (spelling) => {
  expect(isUuid(spelling)).toBe(true)
  expect(toCanonicalUuid(spelling)).toBe(uuid)
  expect(isCanonicalUuid(spelling)).toBe(spelling === uuid)
})

it.each([
  '',
  `${uuid}0`,
  `0${uuid}`,
  ` ${uuid}`,
  uuid.slice(1),
  uuid.slice(0, -1),
  uuid.slice(9),
  uuid.replace('b', 'g'),
  uuid.replace('6d0f', '6d0g'),
  uuid.replace('4c3a', '4c3g'),
  `{${uuid}`,
  `${uuid}}`,
  `${uuid}-`,
  `{${uuid}-}`,
])('leaves %j, which is none', (text) => {
  expect(isUuid(text)).toBe(false)
  expect(toCanonicalUuid(text)).toBe(text)
  expect(isCanonicalUuid(text)).toBe(false)
})

it.each([1, null, undefined, { toString: () => uuid }])('leaves %p, which is no text', (value) => {
  expect(toCanonicalUuid(value)).toBe(value)
})
