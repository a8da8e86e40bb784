import { hasStrayAt, isMysqlUrl, messageOf } from './database-url.js'

describe('a URL', () => {
  it.each([
    ['postgres://app:12/34@db/shop', true],
    ['postgres://app:12#34@db/shop', true],
    ['postgres://app:12?34@db/shop', true],
    // With a port and a password, these may be credentials.
    ['postgres://me:1@localhost:12?a=1&b@db/shop', true],
    ['postgres://app@db/shop?application_name=me@here', false],
    ['postgres://:secret@db/shop?application_name=me@here', false],
    ['postgres://app:secret@db/shop?application_name=me@here', false],
    ['postgres://app:secret@db/shop?sslmode=require', false],
    ['no URL @', false],
  ])('%s has an "@" behind its host: %p', (url, has) => {
    expect(hasStrayAt(url)).toBe(has)
  })

  it.each([
    ['mysql://db/shop', true],
    ['mariadb://db/shop', true],
    ['postgres://db/shop', false],
    ['postgres://db/mysql://shop', false],
  ])('%s is one of MariaDB or MySQL: %p', (url, is) => {
    expect(isMysqlUrl(url)).toBe(is)
  })
})

describe('the message of an error', () => {
  it.each([
    ['is its own', new Error('denied'), 'denied'],
    ['of several addresses is that of each', new AggregateError([new Error('a'), new Error('b')]), 'a; b'],
    ['of several with a message is that', new AggregateError([new Error('a')], 'no route'), 'no route'],
    ['that is none is its text', 'denied', 'denied'],
  ])('%s', (_, error, message) => {
    expect(messageOf(error)).toBe(message)
  })
})
