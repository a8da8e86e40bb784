import { inspect } from 'node:util'
import { AtRest, type AtRestOptions } from './at-rest.js'
import { storedForm } from './stored-form.js'

const key = (id: string, value = 1) => ({ id, key: Buffer.alloc(32, value) })

describe('the options', () => {
  it('have one encryption, which all parts of a process share', () => {
    const options = { keys: [key('a')] }
    expect(AtRest.of(options)).toBe(AtRest.of(options))
    expect(AtRest.of({ ...options })).not.toBe(AtRest.of(options))
  })

  it.each<[string, unknown, RegExp]>([
    ['no keys', { keys: [] }, /"atRest.keys": there is none/],
    [
      'a word for the models',
      { keys: [key('a')], models: 'some' },
      /"atRest.models".*'all', or a list of models/,
    ],
    ['no models', { keys: [key('a')], models: [] }, /"atRest.models"/],
    ['hashKeys that is no truth', { keys: [key('a')], hashKeys: 'yes' }, /"atRest.hashKeys".*true or false/],
  ])('are refused with %s', (_, options, message) => {
    expect(() => AtRest.of(options as AtRestOptions)).toThrow(message)
  })

  it('say which models are encrypted', () => {
    const all = AtRest.of({ keys: [key('a')] })
    const some = AtRest.of({ keys: [key('a')], models: ['User', 'Bid'] })
    expect([all.covers(['Lot']), some.covers(['Lot']), some.covers(['Lot', 'Bid'])]).toEqual([
      true,
      false,
      true,
    ])
    all.verifyModels(new Set())
    some.verifyModels(new Set(['User', 'Bid', 'Lot']))
    expect(() => some.verifyModels(new Set(['User', 'Lot']))).toThrow(/"atRest.models".*Bid.*User, Lot/)
  })

  it('show no key', () => {
    const shown = inspect(AtRest.of({ keys: [{ id: 'a', key: 'B'.repeat(43) }] }), {
      depth: 9,
      showHidden: true,
    })
    expect(shown).not.toMatch(/BBB|04 10/)
  })
})

describe('keys that a function gives', () => {
  it('are fetched once', async () => {
    let calls = 0
    const keys = async () => (calls++, [key('a')])
    const atRest = AtRest.of({ keys, hashKeys: true })
    expect([atRest.isOpen, atRest.messages, atRest.hashedBy, atRest.hashIdOf('a')]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ])
    expect(() => storedForm({ atRest, models: ['User'], compressAboveBytes: undefined })).toThrow(
      '"atRest.keys": they have not been fetched. Await open() before a cache is created.',
    )
    await Promise.all([atRest.open(), atRest.open()])
    await atRest.open()
    expect([atRest.isOpen, calls, atRest.hashedBy]).toEqual([true, 1, 'a'])
    expect(atRest.hashIdOf('a')!('id')).toMatch(/^[\w-]{22}$/)
  })

  it('are fetched again after a failure, whose error is the cause', async () => {
    const error = new Error('AccessDenied')
    const answers = [() => Promise.reject(error), () => [key('a'), key('a')], () => [key('a')]]
    const atRest = AtRest.of({ keys: () => answers.shift()!() })
    await expect(atRest.open()).rejects.toMatchObject({
      code: 'E_INVALID_OPTION',
      cause: error,
      message: expect.stringContaining('"atRest.keys": the function that fetches them has failed'),
    })
    await expect(atRest.open()).rejects.toThrow('two have the id "a"')
    await atRest.open()
    expect(atRest.isOpen).toBe(true)
  })
})

describe('ids in keys', () => {
  const atRest = AtRest.of({ keys: [key('b', 2), key('a')], hashKeys: true })

  it('are hashed with the first key, and can be hashed with all of them', () => {
    expect(atRest.hashedBy).toBe('b')
    const [one, other] = [atRest.hashIdOf('a')!, atRest.hashIdOf('b')!]
    expect(one('id')).not.toBe(other('id'))
    expect(one('id')).not.toBe(one('ie'))
    expect(AtRest.of({ keys: [key('a')] }).hashIdOf('a')!('id')).toBe(one('id'))
    expect(atRest.hashIdOf('c')).toBeUndefined()
  })

  it('are part of the form of a cache', () => {
    const options = { models: ['User'], compressAboveBytes: undefined }
    const clear = AtRest.of({ keys: [key('a')] })
    const [hashed, plain] = [storedForm({ ...options, atRest })!, storedForm({ ...options, atRest: clear })!]
    expect(hashed.name).not.toBe(plain.name)
    expect([hashed.described, plain.described]).toEqual([
      { isEncrypted: true, isCompressed: false, hashedBy: 'b' },
      { isEncrypted: true, isCompressed: false, hashedBy: undefined },
    ])
    expect([hashed.hashId!('id'), plain.hashId]).toEqual([atRest.hashIdOf('b')!('id'), undefined])
  })
})

describe('the form of a cache', () => {
  it('is none without keys for its models, and without compression', () => {
    const atRest = AtRest.of({ keys: [key('a')], models: ['User'], hashKeys: true })
    const formOf = (models: string[], compressAboveBytes?: number) =>
      storedForm({ atRest, models, compressAboveBytes })?.described
    expect(formOf(['Lot'])).toBeUndefined()
    expect(formOf(['Lot'], 0)).toEqual({ isEncrypted: false, isCompressed: true, hashedBy: undefined })
    expect(formOf(['Lot', 'User'], 0)).toEqual({ isEncrypted: true, isCompressed: true, hashedBy: 'a' })
  })
})
