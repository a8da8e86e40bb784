import { noEpochs } from '../read/read.js'
import { loadByLease } from './load-rows.js'

type Row = { readonly id: number; readonly from: string }
type Loads = Parameters<typeof loadByLease<Row, number>>[1]

const primary = { name: 'primary' }

/** The standby has the rows 1 and 2, and the primary all. */
function newModel() {
  const calls: string[] = []
  const load = async (ids: readonly number[], client?: object): Promise<readonly Row[]> => {
    const from = client === primary ? 'primary' : 'standby'
    calls.push(`${from} ${ids.join()}`)
    return ids.filter((id) => from === 'primary' || id < 3).map((id) => ({ id, from }))
  }
  const model = {
    name: 'Post',
    keys: { rowIdOf: ({ id }: Row) => id },
    source: { load, primary, mayBlameOneId: () => false },
  }
  return { calls, model: model as never }
}

const loadOf = (id: number, token: string | null, existence: string | null = 'e'): Loads[number] =>
  ({ token, read: { id, rowId: id, epochs: { ...noEpochs, existence } } }) as never

const isWanted = (): boolean => true

it('loads rows with a lease from the standby, and others from the primary', async () => {
  const { calls, model } = newModel()
  const loads = [loadOf(1, 't'), loadOf(2, null), loadOf(3, 't')]
  expect(await loadByLease(model, loads, isWanted)).toEqual([
    { row: { id: 1, from: 'standby' } },
    { row: { id: 2, from: 'primary' } },
    { row: null },
  ])
  expect(calls).toEqual(['standby 1,3', 'primary 2'])
})

it('asks the primary for rows that the standby does not have while unknown rows are being created', async () => {
  const { calls, model } = newModel()
  const loads = [loadOf(1, 't', null), loadOf(3, 't', null)]
  expect(await loadByLease(model, loads, isWanted)).toEqual([
    { row: { id: 1, from: 'standby' } },
    { row: { id: 3, from: 'primary' } },
  ])
  expect(calls).toEqual(['standby 1,3', 'primary 3'])
})
