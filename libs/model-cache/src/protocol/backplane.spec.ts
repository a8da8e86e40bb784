import { AtRest } from './at-rest/at-rest.js'
import type { Messages } from './backend/store.js'
import { Backplane } from './backplane.js'
import type { RowId } from './format/row-id.js'

const channel = 'mc:{Lot}:written'

/** A listening backplane, and what it has received. */
async function listen(atRest?: Pick<AtRest, 'messages'>) {
  const received: (readonly RowId[] | 'all' | 'not found')[] = []
  const listeners = new Map<string, (message: string) => void>()
  const messages: Messages = {
    publish: async (name, message) => listeners.get(name)?.(message),
    subscribe: async (name, listener) => void listeners.set(name, listener),
    unsubscribe: async (name) => void listeners.delete(name),
  }
  const backplane = new Backplane({
    name: 'Lot',
    messages,
    channel,
    listener: {
      onRows: (rows) => {
        // As the invalidation clock does.
        rows.map(String)
        received.push(rows)
      },
      onAll: () => received.push('all'),
      onNotFound: () => received.push('not found'),
    },
    log: { warn: () => {}, info: () => {} },
    atRest,
  })
  backplane.start()
  for (let i = 0; i < 100 && !backplane.isUp; i++) await new Promise(setImmediate)
  received.length = 0
  return { backplane, received, receive: (text: string) => listeners.get(channel)!(text) }
}

describe('a backplane', () => {
  it('delivers the rows of other processes, with ids of every type', async () => {
    const { backplane, received, receive } = await listen()
    receive('other;1;["a",7,["9007199254740993"]]')
    receive('other;2;-')
    receive('other;3;*')
    expect(received).toEqual([['a', 7, 9007199254740993n], 'not found', 'all'])
    await backplane.stop()
  })

  it('loses no message of those that are sent in another order than they were made', async () => {
    const [writer, reader] = await Promise.all([listen(), listen()])
    const announcements = ['a', 'b'].map((row) => writer.backplane.announcementOf([row], 'client'))
    for (const announcement of announcements.toReversed()) {
      reader.receive(announcement.message)
      expect(announcement.message).toBe(announcement.message)
    }
    expect(reader.received).toEqual([['b'], ['a']])
    await Promise.all([writer, reader].map(({ backplane }) => backplane.stop()))
  })

  it.each([
    ['an object whose conversion to text fails', '[{"toString":1,"valueOf":1}]'],
    ['null', '[null]'],
    ['a nested object', '[[{"toString":1}]]'],
    ['an object instead of a list', '{"length":1}'],
    ['malformed JSON', '['],
    ['nothing', ''],
  ])('reports all rows as written, and does not throw, for a message with %s', async (_, text) => {
    const { backplane, received, receive } = await listen()
    expect(() => receive(`other;1;${text}`)).not.toThrow()
    expect(received).toEqual(['all'])
    await backplane.stop()
  })
})

describe('a backplane with keys', () => {
  const keysOf = (value: number) => AtRest.of({ keys: [{ id: 'a', key: Buffer.alloc(32, value) }] })
  const atRest = keysOf(1)

  it('names no row to those without, and the rows to those with its key', async () => {
    const [writer, reader, without, other] = await Promise.all(
      [atRest, keysOf(1), undefined, keysOf(2)].map(listen),
    )
    const { message } = writer!.backplane.announcementOf(['ada@example.org', 7n], 'log')
    expect(message).not.toContain('ada')
    for (const each of [reader, without, other]) each!.receive(message)
    expect(reader!.received).toEqual([['ada@example.org', 7n]])
    expect([without!.received, other!.received]).toEqual([['all'], ['all']])
    await Promise.all([writer, reader, without, other].map((each) => each!.backplane.stop()))
  })

  it('understands those without keys', async () => {
    const { backplane, received, receive } = await listen(atRest)
    receive('other;1;["a"]')
    receive('other;2;-')
    receive('other;3;*')
    expect(received).toEqual([['a'], 'not found', 'all'])
    await backplane.stop()
  })

  it('takes a message for all rows that was heard before, of another publisher, or on another channel', async () => {
    const [writer, reader] = [await listen(atRest), await listen(atRest)]
    const { message } = writer.backplane.announcementOf(['a'], 'client')
    const text = message.split(';')[2]!
    reader.receive(`other;1;${text}`)
    reader.receive(`other;2;${text.slice(0, -4)}AAA=`)
    expect(reader.received).toEqual(['all', 'all'])
    await Promise.all([writer, reader].map((each) => each.backplane.stop()))
  })

  it('says that any row may have changed until it has its keys', async () => {
    const { backplane } = await listen({ messages: undefined })
    expect(backplane.announcementOf(['a'], 'client').message).toMatch(/;1;\*$/)
    await backplane.stop()
  })
})
