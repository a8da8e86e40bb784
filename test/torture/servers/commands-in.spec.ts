import { commandsIn } from './commands-in.ts'

const get = '*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n'
const ping = '*1\r\n$4\r\nPING\r\n'
const found = (text: string) =>
  commandsIn(Buffer.from(text)).map(({ bytes, words }) => ({ text: bytes.toString(), words }))

describe('commandsIn', () => {
  it('takes commands apart, line ends within words included', () => {
    expect(found(get + ping)).toEqual([
      { text: get, words: ['GET', 'a\r\nb'] },
      { text: ping, words: ['PING'] },
    ])
  })

  it('leaves out what is not complete, and what does not begin with a command', () => {
    for (let end = 1; end < get.length; end++) expect(found(ping + get.slice(0, end))).toHaveLength(1)
    expect(found('b\r\n' + ping)).toEqual([])
  })
})
