import { parseArgs } from 'node:util'
import { UsageError } from './command.js'
import {
  addressIn,
  atRestIn,
  integerIn,
  millisecondsIn,
  neededAddress,
  replicasIn,
  storeOptions,
} from './options.js'

const outputIn = (environment: Readonly<Record<string, string>>) => ({
  line: () => {},
  folder: '.',
  environment,
})

describe('storeOptions', () => {
  it('are those of the caches of an application with the standard namespace', () => {
    expect({ ...parseArgs({ args: [], options: storeOptions }).values }).toEqual({
      namespace: 'mc',
      json: false,
    })
    const args = '--valkey valkey://cache --sentinels a:1,b:2 --primary main --namespace shop --json'.split(
      ' ',
    )
    expect({ ...parseArgs({ args, options: storeOptions }).values }).toEqual({
      valkey: 'valkey://cache',
      sentinels: 'a:1,b:2',
      primary: 'main',
      namespace: 'shop',
      json: true,
    })
  })
})

describe('atRestIn', () => {
  it('reads the file that the option or the environment names, if there is one', () => {
    expect(atRestIn({}, outputIn({}))).toBeUndefined()
    expect(atRestIn({ keys: '' }, outputIn({ MODEL_CACHE_KEYS: 'other.json' }))).toBeUndefined()
    for (const [values, environment] of [
      [{ keys: 'none.json' }, {}],
      [{}, { MODEL_CACHE_KEYS: 'none.json' }],
    ] as const)
      expect(() => atRestIn(values, outputIn(environment))).toThrow(
        'The file of keys cannot be read: ENOENT.',
      )
  })
})

describe('addressIn', () => {
  const other = { VALKEY_URL: 'valkey://other' }

  it.each([
    ['the option', { valkey: 'valkey://cache' }, other, { url: 'valkey://cache' }],
    ['the environment', {}, other, { url: 'valkey://other' }],
    ['nothing', {}, {}, undefined],
    ['an empty option', { valkey: '' }, other, undefined],
    ['an empty variable', {}, { VALKEY_URL: '' }, undefined],
    [
      'Sentinels',
      { sentinels: 'a:1, b:2 ', primary: 'main' },
      {},
      { url: 'valkey://sentinels', sentinels: ['a:1', 'b:2'], primaryName: 'main' },
    ],
    [
      'Sentinels, where the variable is empty',
      { sentinels: 'a:1', primary: 'main' },
      { VALKEY_URL: '' },
      { url: 'valkey://sentinels', sentinels: ['a:1'], primaryName: 'main' },
    ],
    [
      'Sentinels, and a URL with the user',
      { valkey: 'valkey://app@x', sentinels: 'a:1', primary: 'main' },
      {},
      { url: 'valkey://app@x', sentinels: ['a:1'], primaryName: 'main' },
    ],
  ])('reads %s', (_, values, environment, address) => {
    expect(addressIn(values, outputIn(environment))).toEqual(address)
  })

  it('refuses Sentinels without the name of a server', () => {
    expect(() => addressIn({ sentinels: 'a:1' }, outputIn({}))).toThrow(UsageError)
  })
})

describe('neededAddress', () => {
  it('refuses to go without a server', () => {
    expect(neededAddress({ valkey: 'valkey://cache' }, outputIn({}))).toEqual({ url: 'valkey://cache' })
    expect(() => neededAddress({}, outputIn({}))).toThrow(UsageError)
  })
})

describe('millisecondsIn', () => {
  it.each([
    ['0', 0],
    ['250', 250],
    ['1.5', 1.5],
    ['3600000', 3_600_000],
  ])('reads %s', (text, ms) => {
    expect(millisecondsIn('fence-ms', text)).toBe(ms)
  })

  it.each(['', ' ', '-1', 'long', '3600001'])('refuses %j', (text) => {
    expect(() => millisecondsIn('fence-ms', text)).toThrow(
      `--fence-ms is ${JSON.stringify(text)}; expected milliseconds, from 0 to 3600000.`,
    )
  })
})

describe('integerIn', () => {
  it.each(['1', '99', '100'])('reads %s', (text) => {
    expect(integerIn('rows', text, 1, 100)).toBe(Number(text))
  })

  it.each(['', '0', '101', '-1', '1.5', '1e1', ' 7', 'all'])('refuses %j', (text) => {
    expect(() => integerIn('rows', text, 1, 100)).toThrow(
      `--rows is ${JSON.stringify(text)}; expected an integer from 1 to 100.`,
    )
  })
})

describe('replicasIn', () => {
  it('reads no more than a server may have', () => {
    expect([replicasIn('0'), replicasIn('16')]).toEqual([0, 16])
    expect(() => replicasIn('17')).toThrow(UsageError)
  })
})
