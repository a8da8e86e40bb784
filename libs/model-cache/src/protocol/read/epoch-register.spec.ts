import { jest } from '@jest/globals'
import { describedLots } from '../../../../../test/support/described-lots.js'
import { turns } from '../../../../../test/support/eventually.js'
import { manualClock } from '../../../../../test/support/manual-clock.ts'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import { listingOf } from '../format/register.js'
import { Catalogue } from '../registry/catalogue.js'
import { EpochRegister } from './epoch-register.js'
import { RegisterWriter } from '../../../../../test/support/register-writer.js'
import type { ChangedRegister, RegisterChange, Store } from '../backend/store.js'

describe('the register of a model', () => {
  const store = new MemoryStore()
  let models = 0
  let key: string
  const open = (given: Store = store) => {
    const catalogue = new Catalogue(given, key)
    const description = describedLots({ id: [] })
    const entry = catalogue.add(description, 'print')
    return new EpochRegister({
      store: given,
      catalogue,
      database: { mark: '' },
      registerKey: key,
      cache: { entry, listing: listingOf(entry) },
      times: { rowLifeMs: 60_000, writesMs: 30_000, leaseMs: 5_000 },
      replicas: 0,
      onJoining: () => {},
      onListed: () => {},
    })
  }
  const openWriter = () => new RegisterWriter(store, key, 5_000)
  beforeEach(() => {
    key = `register ${models++}`
  })

  it('keeps its epoch when a process joins that it does not list yet', async () => {
    const join = { kind: 'join', listing: 'other:d', lifeMs: 60_000, markMs: 0 } as const
    const { text } = await store.change(key, join)
    const { epoch } = await open().read()
    expect(epoch!.startsWith(`${text.split(';')[0]}.`)).toBe(true)
  })

  it('may fill for all reads of a lost register, although one learns of the loss after another has created it', async () => {
    const late = new LateStore(key)
    const register = open(late)
    const answers = await Promise.all([register.read(), register.read()])
    expect(answers.map(({ mayFill }) => mayFill)).toEqual([true, true])
    expect(answers[0]!.epoch).toBe(answers[1]!.epoch)
  })

  it('has epochs in the read that finds that nobody has released the fence in time', async () => {
    const register = open()
    await register.read()
    await openWriter().fence('writer', 60_000, 'all')
    expect((await register.read()).epoch).toBeNull()
    const nowMs = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 60_001)
    expect((await register.read()).epoch).toEqual(expect.any(String))
  })

  it('has a existence epoch again after a fence that nobody releases', async () => {
    const register = open()
    await register.read()
    await openWriter().fence('writer', 20, 'existence')
    let existence: string | null = null
    while (existence === null) ({ existence } = await register.read())
    expect(existence).toMatch(/./)
  })

  it('has new epochs after its register was replaced by an older one, which does not list its cache', async () => {
    const older = new OlderStore(key)
    const register = open(older)
    const clock = manualClock()
    const before = await register.read()
    clock.pass(90_000)
    older.isOlder = true
    const change = jest.spyOn(older, 'change')
    const after = await register.read()
    expect(after.mayFill).toBe(true)
    expect([null, before.epoch]).not.toContain(after.epoch)
    expect((await register.read()).epoch).toBe(after.epoch)
    expect(change.mock.calls[0]![1]).toEqual({
      kind: 'release',
      scope: 'all',
      token: '',
      holdMs: 0,
      markMs: 5_000,
      replicas: 0,
    })
  })

  it('has new epochs also if an extension has learnt just then that its cache is not listed', async () => {
    const slow = new SlowAnswers(store)
    const register = open(slow)
    const clock = manualClock()
    const before = await register.read()
    clock.pass(31_000)
    // The clock of the server leaps, so that the extension drops the listing.
    const nowMs = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 155_001)
    slow.kind = 'extend'
    await register.read()
    // Answered before the read that follows.
    slow.answer()
    const after = await register.read()
    expect(after.mayFill).toBe(true)
    expect([null, before.epoch]).not.toContain(after.epoch)
  })

  it('has new epochs also if its register is replaced by an older one while it joins', async () => {
    const older = new OlderStore(key)
    const slow = new SlowAnswers(older)
    const register = open(slow)
    const before = await register.read()
    slow.kind = 'join'
    const joining = register.join()
    await turns(4)
    older.isOlder = true
    const reading = register.read()
    await turns(4)
    slow.answer()
    const after = await reading
    expect([null, before.epoch]).not.toContain(after.epoch)
    expect((await register.read()).epoch).toBe(after.epoch)
    await joining
  })

  it.each(['extend', 'join'] as const)(
    'gives a read that begins after a write no epoch from before it, although it waits for an older %s',
    async (kind) => {
      const slow = new SlowAnswers(store)
      const register = open(slow)
      const clock = manualClock()
      if (kind === 'extend') await register.read()
      clock.pass(31_000)
      slow.kind = kind
      // Waits for its answer, or extends its listing after it.
      const before = register.read()
      await turns(4)
      const [former] = (await store.getMany([key]))[0]!.split(';')
      const writer = openWriter()
      await writer.fence('one', 60_000, 'all')
      await writer.release('one', 0, 'all')
      if (kind === 'extend') await writer.fence('two', 60_000, 'all')
      const after = register.read()
      await turns(4)
      slow.answer()
      expect((await after).epoch?.split('.')[0]).not.toBe(former)
      await before
    },
  )
})

afterEach(() => jest.restoreAllMocks())

/** Keeps the answers to one kind of change back, which the inner store has taken. */
class SlowAnswers extends FlakyStore {
  readonly #held = Promise.withResolvers<void>()
  readonly answer = this.#held.resolve
  kind: RegisterChange['kind'] | undefined

  override async change(of: string, change: RegisterChange): Promise<ChangedRegister> {
    const { kind } = this
    const answer = await super.change(of, change)
    if (kind === change.kind) await this.#held.promise
    return answer
  }
}

/** Answers one read of the register with what it was before anybody joined. */
class OlderStore extends MemoryStore {
  readonly #register: string
  isOlder = false

  constructor(register: string) {
    super()
    this.#register = register
  }

  override async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    const found = await super.getMany(keys)
    if (!this.isOlder || !keys.includes(this.#register)) return found
    this.isOlder = false
    return found.map((text) => text?.replace(/[^;]*$/, '') ?? null)
  }
}

/** Answers the second read of the register after the change that followed it, as a store of two connections may. */
class LateStore extends MemoryStore {
  readonly #register: string
  readonly #changed = Promise.withResolvers<void>()
  #reads = 0

  constructor(register: string) {
    super()
    this.#register = register
  }

  override async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    const found = await super.getMany(keys)
    if (keys.includes(this.#register) && ++this.#reads === 2) await this.#changed.promise
    return found
  }

  override async change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    const changed = await super.change(key, change)
    setImmediate(this.#changed.resolve)
    return changed
  }

  /** Takes as long as the other answer, so that both arrive while the register is joined. */
  override async askCatalogue(...asked: Parameters<MemoryStore['askCatalogue']>) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return super.askCatalogue(...asked)
  }
}
