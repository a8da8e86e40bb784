import { setTimeout as delay } from 'node:timers/promises'
import { ToldStore } from './told-store.ts'

describe('ToldStore', () => {
  it('tells of each piece of work whether the store took it, of several side by side', async () => {
    const told = new ToldStore(() => {})
    const observer = told.observer.forModel('Row')
    const work = (outcome: 'settled' | 'store_error') =>
      told.takes(async () => {
        await delay(1)
        observer.fences(outcome, 1)
      })
    expect(await Promise.all([work('settled'), work('store_error'), work('settled')])).toEqual([
      true,
      false,
      true,
    ])
  })

  it('counts reads and fills, and bears whatever else it is told', () => {
    const counts: [string, number][] = []
    const observer = new ToldStore((...count) => counts.push(count)).observer.forModel('Row')
    observer.reads('store', 'hit', 2)
    observer.fills('stored', 3)
    observer.readSeconds(1, 1)
    observer.fences('store_error', 1)
    expect(counts).toEqual([
      ['store hit', 2],
      ['fill stored', 3],
    ])
  })
})
