import { MemoryStore } from '../store/memory-store.js'
import { Catalogue } from './catalogue.js'
import { EpochRegister } from './epoch-register.js'
import { RegisterWriter } from './register-writer.js'

describe('the register of a model', () => {
  const store = new MemoryStore()
  let models = 0
  let key: string
  const open = () => {
    const catalogue = new Catalogue(store, key)
    const description = { name: 'Lot', model: 'Lot', id: [], buckets: 1, dependsOn: [], lookups: [] }
    const entry = catalogue.add(description, 'print')
    return new EpochRegister({
      store,
      catalogue,
      cache: { name: 'Lot', registerKey: key, entry, fingerprint: 'print' },
      times: { rowLifeMs: 60_000, fenceMs: 30_000, leaseMs: 5_000 },
      onJoining: () => {},
    })
  }
  const openWriter = () => new RegisterWriter(store, key, 5_000)
  beforeEach(() => {
    key = `register ${models++}`
  })

  it('has an epoch and a membership epoch as soon as it is read', async () => {
    const { epoch, membership, mayFill } = await open().read()
    expect([typeof epoch, typeof membership, mayFill]).toEqual(['string', 'string', true])
  })

  it('has no epochs while the model is fenced, and new ones afterwards', async () => {
    const register = open()
    const before = await register.read()
    await openWriter().fence('writer', 60_000, 'all')
    expect(await register.read()).toEqual({ epoch: null, membership: null, mayFill: false })
    await openWriter().release('writer', 0, 'all')
    const after = await register.read()
    expect(after.mayFill).toBe(true)
    expect([null, before.epoch]).not.toContain(after.epoch)
    expect([null, before.membership]).not.toContain(after.membership)
  })

  it('keeps its epoch while the membership is fenced, and has a new membership epoch afterwards', async () => {
    const [register, other] = [open(), openWriter()]
    const before = await register.read()
    await other.fence('writer', 60_000, 'membership')
    expect(await register.read()).toEqual({ ...before, membership: null })
    await other.release('writer', 0, 'membership')
    const after = await register.read()
    expect(after).toEqual({ ...before, membership: after.membership })
    expect([null, before.membership]).not.toContain(after.membership)
  })

  it('has a membership epoch again after a fence that nobody releases', async () => {
    const register = open()
    await register.read()
    await openWriter().fence('writer', 20, 'membership')
    let membership: string | null = null
    while (membership === null) ({ membership } = await register.read())
    expect(membership).toMatch(/./)
  })
})
