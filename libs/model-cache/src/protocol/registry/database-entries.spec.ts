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
  return { process: new DatabaseEntries(store, 'mc'), program: new DatabaseEntries(store, 'mc') }
}

describe('the databases of running processes, for a program that reads no rows', () => {
  it('are those with another id, until their processes have ended', async () => {
    const { process, program } = newEntries()
    expect(await program.othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await program.othersThan(own)).toEqual([`name of ${other}`])
    expect(await program.othersThan(other)).toEqual([])
    await process.put(identity(other), 'ended')
    expect(await program.othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await program.othersThan(own)).toEqual([`name of ${other}`])
  })

  it.each(['starting', 'refused', 'ended'] as const)(
    'are not those of processes that are %s',
    async (state) => {
      const { process, program } = newEntries()
      await process.put(identity(other), state)
      expect(await program.othersThan(own)).toEqual([])
    },
  )

  it('are not those that are known by something else', async () => {
    const { process, program } = newEntries()
    await process.put(identity('migrated/4711'), 'running')
    expect(await program.othersThan(own)).toEqual([])
  })
})
