import {
  duplicateNestError,
  invalidDurationError,
  loadHooksError,
  missingDependenciesError,
  missingPackageError,
  missingRootError,
  noCodeGenerationError,
  prismaInternalsError,
  unknownModelError,
} from './configuration-errors.js'
import {
  ConfigurationError,
  FenceError,
  loadTimeoutError,
  ModelCacheError,
  unknownLookupError,
} from './errors.js'

const cause = new Error('refused')

it.each([
  [noCodeGenerationError('User'), 'E_NO_CODE_GENERATION', '"User": this process forbids code generation'],
  [missingPackageError('pg', 'reads', 'leave it', cause), 'E_MISSING_PACKAGE', 'Install it: npm install pg.'],
  [duplicateNestError(), 'E_DUPLICATE_NEST', '`npm ls @nestjs/core` shows both'],
  [prismaInternalsError(['a', 'b']), 'E_PRISMA_INTERNALS', 'what extendPrisma relies on: a; b. Use'],
  [
    loadHooksError('User', 'filters rows'),
    'E_LOAD_HOOKS',
    'a query extension of the client filters rows, so',
  ],
])('an error that stops the start has a code, and a remedy: %s', (error, code, text) => {
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({ name: 'ConfigurationError', code })
  expect(error.message).toContain(text)
})

it('an error has its cause, or none', () => {
  expect(new ModelCacheError('E_STORE', 'no', cause).cause).toBe(cause)
  expect(new ModelCacheError('E_STORE', 'no')).not.toHaveProperty('cause')
})

it.each([
  [30, "ttl is 30, which would be 30 ms: give the unit, as in '30s', or '30ms' if you mean that."],
  [999, 'ttl is 999, which would be 999 ms'],
  [1_000, "ttl is 1000; expected a string such as '500ms'"],
  [0, "ttl is 0; expected a string such as '500ms'"],
  [-1, "ttl is -1; expected a string such as '500ms'"],
  ['30', `ttl is "30"; expected a string such as '500ms'`],
])('a duration of %p that lacks its unit is distinguished from other ones', (actual, message) => {
  expect(invalidDurationError('User', 'ttl', actual).message).toContain(message)
})

it.each([
  ['user', ['Post', 'User'], 'model', 'no model "user"; did you mean "User"?'],
  ['USER', ['İ', 'User'], 'dependsOn', 'no model "USER"; did you mean "User"?'],
  [
    'Usr',
    ['Post', 'User'],
    'model',
    'it has Post, User. Correct `model`, run `prisma generate`, or give a `load` function.',
  ],
  ['Nobody', [], 'dependsOn', 'it has none. Correct `dependsOn`, or run `prisma generate`.'],
] as const)('an unknown model %s has the remedies of its option', (model, known, option, message) => {
  expect(unknownModelError('User', model, known, option).message).toContain(message)
})

it.each([
  [undefined, '`dependsOn: []`'],
  [['Post', 'Tag'], "`dependsOn: ['Post', 'Tag']`"],
])('dependencies on %p are in the remedy', (models, list) => {
  expect(missingDependenciesError('User', 'it has a `load`', models).message).toContain(list)
})

it.each([
  [
    undefined,
    'forFeature([...]) was imported, but no ModelCacheModule.forRoot({ ... }). Import ModelCacheModule.forRoot({ prisma:',
  ],
  [
    'billing',
    "forFeature([...], 'billing') was imported, but no ModelCacheModule.forRoot({ name: 'billing', ... }). Import ModelCacheModule.forRoot({ name: 'billing', prisma:",
  ],
])('a missing root %s is named as in the code', (root, message) => {
  expect(missingRootError('User', root).message).toContain(message)
})

it.each([
  [undefined, 'no lookup "byName"; its definition has byEmail.'],
  ['unique', 'no unique key "byName"; its definition has byEmail.'],
  ['list', 'no list "byName"; its definition has byEmail.'],
] as const)('an unknown lookup of the kind %s has the kind in its message', (kind, message) => {
  expect(unknownLookupError('User', kind, 'byName', ['byEmail']).message).toContain(message)
  expect(unknownLookupError('User', kind, 'byName', []).message).toContain('its definition has none.')
})

it.each([
  [undefined, 'given up. Its source did not answer. Find out why'],
  [['Post', 'Tag'], 'given up. It reads other caches, and waited for "Post", then "Tag". Find out why'],
])('a timeout of a load says what it waited for: %p', (awaited, message) => {
  expect(loadTimeoutError('User', 10, awaited).message).toContain(message)
})

it.each([
  ['User', 'ModelCache "User": a write was not committed, because the store did not confirm its fence'],
  [
    undefined,
    'model-cache: a write was not committed, because the store did not answer which caches it affects',
  ],
])('a write that was not committed names its cache, if it is known: %s', (name, message) => {
  const error = new FenceError(name, cause)
  expect(error).toMatchObject({ code: 'E_FENCE', cause })
  expect(error.message).toContain(message)
  expect(error.message).toMatch(/The reason: refused$/)
})
