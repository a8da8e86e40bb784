import { followMysql } from './follow-mysql.js'
import { databaseIn } from './mysql-address.js'

describe('to follow MariaDB or MySQL', () => {
  it.each(['mysql://app:secret@db.example:3306/shop', 'mariadb://db.example/shop'])(
    '%s is an address',
    (url) => {
      const { maxLagMs, onGap, openLog } = followMysql({ url, onGap: 'serve', maxLagMs: 5_000 })
      expect([onGap, maxLagMs]).toEqual(['serve', 5_000])
      const { name, providers } = openLog!('mc')
      expect([name, [...providers]]).toEqual([url.replace(/.*\/\/(.*@)?/, ''), ['mysql']])
    },
  )

  it.each([
    ['postgres://db.example/shop'],
    ['mysql://db.example:port/shop'],
    ['mysql://db.example'],
    ['mysql://db.example/'],
    [undefined as unknown as string],
  ])('%s is none', (url) => {
    expect(() => followMysql({ url })).toThrow(
      expect.objectContaining({
        code: 'E_INVALID_OPTION',
        message: expect.stringContaining('follow.url') as string,
      }),
    )
  })

  it('the name of the database may have any letters', () => {
    expect(databaseIn('mysql://db/shop%2Fa%20b')).toBe('shop/a b')
  })
})
