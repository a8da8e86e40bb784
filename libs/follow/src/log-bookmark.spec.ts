import { type Fill, MemoryStore } from 'model-cache/advanced'
import type { OpenLog } from './database-log.js'
import { LogBookmark, readNote } from './log-bookmark.js'

const key = { key: 'mc:{follow}:log:a log', guard: 'mc:{follow}:log:a log:l' }

/** A log that ends at 40, and the bookmark of how far it has been taken. */
function bookmarkIn(store: MemoryStore) {
  const confirmed: bigint[] = []
  const log: Partial<OpenLog> = {
    resumesAt: 30n,
    end: 40n,
    versions: new Map([['posts', 'first']]),
    placeOf: (position) => `behind ${position}`,
    confirm: (position) => void confirmed.push(position),
  }
  let failures = 0
  const untilAnswered = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (failures++ > 2) throw error
      }
    }
  }
  const bookmark = new LogBookmark(store, 'mc', 'a log', log as OpenLog, untilAnswered)
  return { bookmark, confirmed, failures: () => failures }
}

async function write(store: MemoryStore, value: string): Promise<void> {
  const request = { token: 'test', leaseMs: 1_000, onlyAbsent: false, onlyUnmarked: false }
  const [lease] = await store.leaseMany([key], request)
  await store.fillMany([{ ...key, token: lease!.token!, value, ttlMs: 60_000 }])
}

describe('a bookmark', () => {
  it('is kept for 30 days with the place in the log, and replaced by the next one', async () => {
    const store = new MemoryStore()
    const fills: Fill[] = []
    const fillMany = store.fillMany.bind(store)
    store.fillMany = (some) => {
      fills.push(...some)
      return fillMany(some)
    }
    const { bookmark } = bookmarkIn(store)
    await bookmark.follow(['posts'])
    await bookmark.confirm(35n)
    const written = [key.key, 30 * 24 * 3_600_000]
    expect(fills.map(({ key: name, ttlMs }) => [name, ttlMs])).toEqual([written, written])
    expect(await readNote(store, 'mc', 'a log')).toEqual({
      position: 35n,
      place: 'behind 35',
      tables: { posts: 'first' },
    })
    expect(await readNote(store, 'mc', 'another')).toBeUndefined()
  })

  it('is confirmed once it is written, however often that fails', async () => {
    const store = new MemoryStore()
    const fillMany = store.fillMany.bind(store)
    let refused = 0
    store.fillMany = async (some) => {
      const written = await fillMany(some)
      return refused++ === 0 ? [false] : written
    }
    const { bookmark, confirmed, failures } = bookmarkIn(store)
    await bookmark.confirm(35n)
    expect([failures(), confirmed, (await readNote(store, 'mc', 'a log'))?.position]).toEqual([1, [35n], 35n])
  })

  it('at the end of the log has no gap', async () => {
    const store = new MemoryStore()
    await write(store, JSON.stringify({ position: '40', place: '', tables: { posts: 'first' } }))
    const { bookmark } = bookmarkIn(store)
    expect([await bookmark.gapOf(['posts']), await bookmark.gapOf(['posts', 'users'])]).toEqual([[], []])
  })

  it.each([
    ['a number as its position', { position: 30, place: '', tables: {} }],
    ['no place', { position: '30', tables: {} }],
    ['a text as its tables', { position: '30', place: '', tables: 'posts' }],
    ['null as its tables', { position: '30', place: '', tables: null }],
  ])('with %s counts as none', async (_, note) => {
    const store = new MemoryStore()
    await write(store, JSON.stringify(note))
    expect(await readNote(store, 'mc', 'a log')).toBeUndefined()
  })
})
