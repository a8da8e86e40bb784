import { MemoryStore } from '../backend/memory-store.js'
import type { ChangedRegister, RegisterChange } from '../backend/store.js'
import { RegisterWriter } from './register-writer.js'

class RecordingStore extends MemoryStore {
  readonly changes: RegisterChange[] = []

  override change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    this.changes.push(change)
    return super.change(key, change)
  }
}

it.each([
  ['that had no fence', '', 0, 2],
  ['after which rows are held', 'token', 1, 2],
  ['of a fence, which a replica may have until its deadline', 'token', 0, 0],
])('a release %s is acknowledged by replicas, or need not be', async (_, token, holdMs, replicas) => {
  const store = new RecordingStore()
  const writer = new RegisterWriter(store, 'register', { leaseMs: 5_000, replicas: 2 })
  await writer.fence('token', 30_000, 'all')
  await writer.release(token, holdMs, 'existence')
  expect(store.changes).toEqual([
    { kind: 'fence', scope: 'all', token: 'token', fenceMs: 30_000, markMs: 5_000, replicas: 2 },
    { kind: 'release', scope: 'existence', token, holdMs, markMs: 5_000, replicas },
  ])
})
