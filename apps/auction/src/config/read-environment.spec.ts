import { readEnvironment } from './read-environment.js'

describe('readEnvironment', () => {
  it('defaults to the embedded database on the loopback interface', () => {
    const defaults = {
      production: false,
      host: '127.0.0.1',
      port: 3000,
      valkey: 'start',
      drainMs: 100,
      cacheNamespace: 'auction',
      bursts: true,
      logLevel: 'info',
    }
    expect(readEnvironment({})).toEqual(defaults)
    expect(readEnvironment({ PORT: '', DATABASE_URL: '', VALKEY_URL: '' })).toEqual(defaults)
  })

  it('reads the servers, the port and the log level', () => {
    const DATABASE_URL = 'postgresql://user:secret@db:5432/auction?schema=public'
    expect(
      readEnvironment({
        NODE_ENV: 'production',
        HOST: '0.0.0.0',
        PORT: '8080',
        DATABASE_URL,
        VALKEY_URL: 'valkeys://:secret@cache:6380/1',
        BURSTS: 'off',
        INSPECTOR_PASSWORD: 'a long password',
        LOG_LEVEL: 'warn',
      }),
    ).toEqual({
      production: true,
      host: '0.0.0.0',
      port: 8080,
      databaseUrl: DATABASE_URL,
      valkey: { url: 'valkeys://:secret@cache:6380/1' },
      drainMs: 3000,
      cacheNamespace: 'auction',
      bursts: false,
      inspectorPassword: 'a long password',
      logLevel: 'warn',
    })
  })

  it.each([
    ['PORT', '80a', 'Expected: a whole number from 0 to 65535. Correct it, or unset it to listen on 3000.'],
    ['PORT', '65536', 'Expected: a whole number from 0 to 65535.'],
    ['HOST', 'a b', 'Expected: a host name or an address such as 0.0.0.0.'],
    ['DATABASE_URL', 'mysql://secret@db', 'Expected: a URL such as file:./auction.db, mysql://'],
    ['DATABASE_URL', 'sqlserver://secret@db/auction', 'Expected: a URL such as file:./auction.db, mysql://'],
    ['DATABASE_URL', 'postgresql://secret@db', 'Expected: a URL such as file:./auction.db, mysql://'],
    [
      'DATABASE_URL',
      'postgresql://secret@db/auction?schema=other',
      'with the schema "public". Correct it, or unset it',
    ],
    ['VALKEY_URL', 'secret', 'Expected: a URL such as valkey://'],
    ['VALKEY_URL', 'http://secret@cache', 'unset it to use the valkey-server on PATH'],
    ['BURSTS', 'never', 'Expected: "on" or "off". Correct it, or unset it to let the page'],
    [
      'INSPECTOR_PASSWORD',
      'hunter2',
      'Expected: a password of at least 12 characters. Correct it, or unset it to close',
    ],
    ['LOG_LEVEL', 'loud', 'Expected: '],
  ])('rejects %s=%s without repeating the value', (name, value, expected) => {
    const read = (): unknown => readEnvironment({ [name]: value })
    expect(read).toThrow(`${name} has an invalid value.`)
    expect(read).toThrow(expected)
    expect(read).not.toThrow(value)
  })

  it.each(['mysql://user:secret@db:3306/auction', 'mariadb://user@db/auction', 'file:./auction.db'])(
    'takes %s as a database',
    (DATABASE_URL) => {
      expect(readEnvironment({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
    },
  )

  it('reports all invalid variables at once', () => {
    expect(() => readEnvironment({ PORT: 'x', VALKEY_URL: 'y' })).toThrow(/PORT has .*\n.*VALKEY_URL has /)
  })
})
