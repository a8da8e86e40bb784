import assert from 'node:assert/strict'
import type { CatalogueAnswer, CatalogueRequest } from '../protocol/index.js'
import type { TestFramework } from './test-framework.js'

/** A new catalogue under test. */
export interface DescribedCatalogue {
  ask(request: CatalogueRequest): Promise<CatalogueAnswer>
  /** The value at `<key>:epoch`. */
  readEpoch(): Promise<string | null | undefined>
}

/** The part of the store contract about catalogues. */
export function describeCatalogues(it: TestFramework['it'], catalogue: DescribedCatalogue): void {
  const ask = (request: Partial<CatalogueRequest> = {}): Promise<CatalogueAnswer> =>
    catalogue.ask({ known: '', isWriter: false, ...request })
  const put = (...fields: string[]): Partial<CatalogueRequest> => ({
    put: new Map(fields.map((field) => [field, `text; of ${field}`])),
  })
  const fieldsOf = ({ entries = [] }: CatalogueAnswer): string[] =>
    entries.map(({ field }) => field).toSorted()

  it('has an epoch from the first request on, which readers get as a value', async () => {
    assert.equal(await catalogue.readEpoch(), null)
    const created = await ask()
    assert.deepEqual(created.entries, [])
    assert.equal(await catalogue.readEpoch(), created.epoch)
    assert.equal((await ask()).epoch, created.epoch)
  })

  it('returns its entries unless the caller has the current version', async () => {
    const { version } = await ask(put('User:f1'))
    assert.equal((await ask({ known: version })).entries, undefined)
    const added = await ask({ known: version, ...put('Lot:f2') })
    assert.deepEqual(fieldsOf(added), ['Lot:f2', 'User:f1'])
    assert.equal(added.entries?.find(({ field }) => field === 'Lot:f2')?.text, 'text; of Lot:f2')
    assert.equal((await ask({ known: added.version, ...put('Lot:f2') })).entries, undefined)
  })

  it('returns when an entry was added, or 0 if no writer had made a request before', async () => {
    const before = await ask(put('User:f1'))
    assert.equal(before.entries?.[0]?.addedMs, 0)
    await ask({ isWriter: true })
    await ask(put('User:f1', 'Lot:f2'))
    const after = await ask()
    const added = new Map(after.entries?.map(({ field, addedMs }) => [field, addedMs]))
    assert.equal(added.get('User:f1'), 0)
    assert.ok(Math.abs(after.nowMs - added.get('Lot:f2')!) < 60_000)
  })

  it('counts no writer that knows another epoch', async () => {
    await ask()
    await ask({ isWriter: true, known: 'another.3' })
    assert.equal((await ask(put('User:f1'))).entries?.[0]?.addedMs, 0)
    await ask({ isWriter: true, known: (await ask()).version })
    const { entries = [] } = await ask(put('Lot:f2'))
    assert.notEqual(entries.find(({ field }) => field === 'Lot:f2')?.addedMs, 0)
  })

  it('removes an entry unless it was put again since it was read, and says when that was', async () => {
    const { entries: [stale] = [], version } = await ask(put('User:f1'))
    await ask(put('User:f1'))
    const refused = await ask({ known: version, remove: [stale!] })
    assert.deepEqual([refused.version, fieldsOf(refused)], [version, ['User:f1']])
    assert.deepEqual(fieldsOf(await ask({ remove: refused.entries! })), [])
  })
}
