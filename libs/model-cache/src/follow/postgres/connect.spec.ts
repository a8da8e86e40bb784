import { connectTo, nameOf } from './connect.js'

describe('the name of a database', () => {
  it.each([
    ['postgres://app:secret@db.example:5432/shop', 'db.example:5432/shop'],
    ['postgres://app:s%2Fe%40cret@db.example/shop?application_name=me@here', 'db.example/shop'],
    ['postgres://db.example/shop?sslmode=require', 'db.example/shop'],
    ['postgres://app:se@cret@db.example/shop', 'db.example/shop'],
  ])('is host and path of %s', (url, name) => {
    expect(nameOf(url)).toBe(name)
  })

  it.each([
    ['a slash', '12/34'],
    ['a question mark', '12?34'],
    ['a question mark and an equals sign', '12?3=4'],
    ['a hash', '12#34'],
    ['a slash at its start', '/1234'],
    ['an at sign and a slash', 'x@12/34'],
    ['an at sign and a question mark', 'x@12?34'],
    ['a slash behind letters', 'x/34'],
  ])('has nothing of a password with %s, and no connection is made', async (_, password) => {
    const url = `postgres://localhost:${password}@127.0.0.1:1/shop`
    expect(nameOf(url)).toBe('PostgreSQL')
    const error = await connectTo({ url }, 'queries').catch((reason: unknown) => reason as Error)
    expect(error).toMatchObject({ code: 'E_FOLLOW' })
    for (const text of [(error as Error).message, String((error as Error).cause)])
      for (const part of ['12', '34']) expect(text).not.toContain(part)
  })
})
