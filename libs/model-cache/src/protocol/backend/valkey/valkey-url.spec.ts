import { parseValkeyUrl } from './valkey-url.js'

describe('a Valkey URL', () => {
  it.each([
    ['valkey://localhost', { host: 'localhost', port: 6379 }],
    ['redis://127.0.0.1:7000/3', { host: '127.0.0.1', port: 7000, db: 3 }],
    ['valkeys://h:1/', { host: 'h', port: 1, tls: {} }],
    ['rediss://:secret@h', { host: 'h', port: 6379, password: 'secret', tls: {} }],
    ['valkey://app:p%40ss%2Fword@h', { host: 'h', port: 6379, username: 'app', password: 'p@ss/word' }],
    ['valkey://[::1]:6380', { host: '::1', port: 6380 }],
  ])('%s is parsed', (url, options) => {
    expect(parseValkeyUrl(url)).toEqual(options)
  })

  it.each([undefined, ''])('that is %j may come from an environment variable that is not set', (url) => {
    expect(() => parseValkeyUrl(url as never)).toThrow(/; its environment variable may not be set\.$/)
  })

  it.each([
    'http://:secret@h',
    'secret',
    'valkey://:secret@h/db',
    'valkey://:secret@h?family=6',
    'valkey://:secret%@h',
    'valkey://:secret@',
    'valkey://:secret@h:99999',
  ])('%s is refused without appearing in the error', (url) => {
    expect(() => parseValkeyUrl(url)).toThrow('option "valkey.url" is not shown')
    try {
      parseValkeyUrl(url)
    } catch (error) {
      expect(
        `${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)}`,
      ).not.toContain('secret')
    }
  })
  it('is text', () => {
    expect(() => parseValkeyUrl(new URL('valkey://h') as never)).toThrow('option "valkey.url" is not shown')
  })
})
