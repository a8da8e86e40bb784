import type { Messages } from './backend/store.js'
import { Backplane } from './backplane.js'
import type { RowId } from './format/row-id.js'

const channel = 'mc:{Lot}:written'

/** A listening backplane, and what it has received. */
async function listen() {
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
