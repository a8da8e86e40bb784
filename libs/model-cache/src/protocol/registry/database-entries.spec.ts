import { MemoryStore } from '../backend/memory-store.js'
import { DatabaseEntries } from './database-entries.js'

const identity = (id: string) => ({
  id,
  schema: 'public',
  history: '1',
  incarnation: '',
  name: `name of ${id}`,
})
const own = 'postgresql/7/shop'
const other = 'postgresql/7/staging'

function newEntries() {
  const store = new MemoryStore()
  const program = new DatabaseEntries(store, 'mc')
  return {
    process: new DatabaseEntries(store, 'mc'),
    program,
    othersThan: async (id: string) => (await program.readersBeside(id)).others,
  }
}

describe('the databases of running processes, for a program that reads no rows', () => {
  it('are those with another id, until their processes have ended', async () => {
    const { othersThan, process } = newEntries()
    expect(await othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await othersThan(own)).toEqual([`name of ${other}`])
    expect(await othersThan(other)).toEqual([])
    await process.put(identity(other), 'ended')
    expect(await othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await othersThan(own)).toEqual([`name of ${other}`])
  })

  it.each(['starting', 'refused', 'ended'] as const)(
    'are not those of processes that are %s',
    async (state) => {
      const { othersThan, process } = newEntries()
      await process.put(identity(other), state)
      expect(await othersThan(own)).toEqual([])
    },
  )

  it('are not those that are known by something else', async () => {
    const { othersThan, process } = newEntries()
    await process.put(identity('migrated/4711'), 'running')
    expect(await othersThan(own)).toEqual([])
  })

  it('are this one too, where they read from its primary, which says how far it has got', async () => {
    const { process, program } = newEntries()
    await process.put(identity(own), 'running')
    expect((await program.readersBeside(own)).ofPrimary).toEqual([])
    await process.put({ ...identity(own), position: '7' }, 'running')
    expect(await program.readersBeside(own)).toEqual({ others: [], ofPrimary: [`name of ${own}`] })
  })
})
