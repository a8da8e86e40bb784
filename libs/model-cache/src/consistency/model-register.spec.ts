import { MemoryStore } from '../store/memory-store.js'
import { ModelRegister } from './model-register.js'

describe('the register of a model', () => {
  const store = new MemoryStore()
  let models = 0
  let key: string
  const open = () =>
    new ModelRegister({ store, key, fingerprint: 'print', rowLifeMs: 60_000, joinMs: 30_000, leaseMs: 5_000 })
  beforeEach(() => {
    key = `register ${models++}`
  })

  it('has an epoch and a membership word as soon as it is read', async () => {
    const { epoch, membership, mayFill } = await open().read()
    expect([typeof epoch, typeof membership, mayFill]).toEqual(['string', 'string', true])
  })

  it('has no word while the model is fenced, and new ones afterwards', async () => {
    const register = open()
    const before = await register.read()
    await register.fence('writer', 60_000, 'all')
    expect(await register.read()).toEqual({ epoch: null, membership: null, mayFill: false })
    await register.settle('writer', 0, 'all')
    const after = await register.read()
    expect(after.mayFill).toBe(true)
    expect([null, before.epoch]).not.toContain(after.epoch)
    expect([null, before.membership]).not.toContain(after.membership)
  })

  it('keeps its epoch while its membership is fenced, and has a new membership word afterwards', async () => {
    const [register, other] = [open(), open()]
    const before = await register.read()
    await other.fence('writer', 60_000, 'membership')
    expect(await register.read()).toEqual({ ...before, membership: null })
    await other.settle('writer', 0, 'membership')
    const after = await register.read()
    expect(after).toEqual({ ...before, membership: after.membership })
    expect([null, before.membership]).not.toContain(after.membership)
  })

  it('counts membership again after a fence that nobody releases', async () => {
    const register = open()
    await register.read()
    await register.fence('writer', 20, 'membership')
    let membership: string | null = null
    while (membership === null) ({ membership } = await register.read())
    expect(membership).toMatch(/./)
  })
})
