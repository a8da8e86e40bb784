import type { Messages } from '../store/store.js'
import { Backplane } from './backplane.js'
import type { RowId } from './row-id.js'

const channel = 'mc:{Lot}:written'

/** A backplane that listens, and what it has heard. */
async function listen() {
  const heard: (readonly RowId[] | 'all' | 'absences')[] = []
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
    onRows: (rows) => {
      // As registers of recent writes do.
      rows.map(String)
      heard.push(rows)
    },
    onAll: () => heard.push('all'),
    onNotFound: () => heard.push('absences'),
    warn: () => {},
    info: () => {},
  })
  backplane.start()
  for (let i = 0; i < 100 && !backplane.isUp; i++) await new Promise(setImmediate)
  heard.length = 0
  return { backplane, heard, hear: (text: string) => listeners.get(channel)!(text) }
}

describe('a backplane', () => {
  it('delivers the rows of other processes, in every form of an id', async () => {
    const { backplane, heard, hear } = await listen()
    hear('other;1;["a",7,["9007199254740993"]]')
    hear('other;2;-')
    hear('other;3;*')
    expect(heard).toEqual([['a', 7, 9007199254740993n], 'absences', 'all'])
    await backplane.stop()
  })

  it.each([
    ['an object whose conversion to text fails', '[{"toString":1,"valueOf":1}]'],
    ['null', '[null]'],
    ['a nested object', '[[{"toString":1}]]'],
    ['no list', '{"length":1}'],
    ['no JSON', '['],
    ['nothing', ''],
  ])('forgets all rows, and does not throw, when a message holds %s', async (_, text) => {
    const { backplane, heard, hear } = await listen()
    expect(() => hear(`other;1;${text}`)).not.toThrow()
    expect(heard).toEqual(['all'])
    await backplane.stop()
  })
})
