import { followPostgres } from './follow-postgres.js'

const url = 'postgres://app:secret@db.example:5432/shop'

describe('to follow PostgreSQL', () => {
  it.each([url, 'postgresql://db.example/shop'])('%s is an address', (address) => {
    const { maxLagMs, onGap, openLog } = followPostgres({ url: address, onGap: 'serve', maxLagMs: 5_000 })
    expect([onGap, maxLagMs]).toEqual(['serve', 5_000])
    const { name, providers } = openLog!('mc')
    expect([name, [...providers]]).toEqual([address.replace(/.*\/\/(.*@)?/, ''), ['postgresql', 'postgres']])
  })

  it.each(['mysql://db.example/shop', 'db.example postgres://shop', undefined as unknown as string])(
    '%s is none',
    (address) => {
      expect(() => followPostgres({ url: address })).toThrow(
        expect.objectContaining({
          code: 'E_INVALID_OPTION',
          message: expect.stringContaining('follow.url') as string,
        }),
      )
    },
  )

  it.each(['slot', 'publication'])('a %s has a name in the letters that PostgreSQL has', (option) => {
    for (const name of ['shop_2', 'a'.repeat(63)])
      expect(followPostgres({ url, [option]: name })).toBeDefined()
    for (const name of ['', 'Shop', 'shop 2', ' shop', 'a'.repeat(64)])
      expect(() => followPostgres({ url, [option]: name })).toThrow(
        expect.objectContaining({
          code: 'E_INVALID_OPTION',
          message: expect.stringContaining(`follow.${option}`) as string,
        }),
      )
  })
})
