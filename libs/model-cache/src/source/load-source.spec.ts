import { createLoadSource } from './load-source.js'

describe('a source that loads with a function', () => {
  const load = (client: object, ids: readonly number[]) => ids.map((id) => ({ id, client }))
  const client = {}

  it('loads rows with its client, or with that of a transaction', async () => {
    const source = createLoadSource(load, client)
    const transaction = {}
    const [own] = await source.load([1])
    const [other] = await source.load([1], transaction)
    expect(own!.client).toBe(client)
    expect(other!.client).toBe(transaction)
  })

  it('takes no transaction for its own unless a function says so, and may blame one id', () => {
    const source = createLoadSource(load, client)
    expect([source.isOwnTransaction!({}), source.mayBlameOneId(new Error('no row'))]).toEqual([false, true])
    expect(createLoadSource(load, client, () => true).isOwnTransaction!({})).toBe(true)
  })
})
