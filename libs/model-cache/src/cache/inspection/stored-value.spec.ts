import { jest } from '@jest/globals'
import { type } from 'arktype'
import { compileCodec } from '../../codec/compile-codec.js'
import { negativeEntryOf, sealEnvelope } from '../../protocol/index.js'
import { openStored } from './stored-value.js'

const nowMs = 1_764_000_000_000
const codec = compileCodec(type({ id: 'number', name: 'string' }), { name: 'Lot' })
const model = { codec, keys: { isRow: (row: { id: number }, rowId: unknown) => row.id === rowId } }
const payload = codec.encode({ id: 1, name: 'vase' })
const current = { epoch: 'rows', existence: 'ids' }

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(nowMs)
})
afterEach(() => {
  jest.restoreAllMocks()
})

const sealed = (epoch: string, content: string, { fingerprint = codec.fingerprint, leftMs = 30 } = {}) =>
  Buffer.from(
    sealEnvelope(fingerprint, epoch, { createdMs: nowMs - 10, expiresMs: nowMs + leftMs }, content).text,
  )
const open = (value: Buffer | null, snapshot: Parameters<typeof openStored>[3] = current, opener = model) =>
  openStored<{ id: number; name: string }>(opener, 1, value, snapshot)

it('opens a row of the epoch of rows', () => {
  const value = sealed('rows', payload)
  expect(open(value)).toEqual({
    isHit: true,
    row: { id: 1, name: 'vase' },
    payload,
    createdMs: nowMs - 10,
    expiresMs: nowMs + 30,
    length: value.length,
  })
})

it('opens a negative entry of the existence epoch', () => {
  expect(open(sealed('ids', negativeEntryOf(1)))).toMatchObject({ isHit: true, row: null })
  const one = { epoch: 'one', existence: 'one' }
  expect(open(sealed('one', negativeEntryOf(1)), one)).toMatchObject({ isHit: true, row: null })
})

it.each([
  ['nothing', 'not_cached', null],
  ['a row of another epoch', 'invalidated', sealed('before', payload)],
  ['a row of the existence epoch', 'invalidated', sealed('ids', payload)],
  ['a negative entry of the epoch of rows', 'invalidated', sealed('rows', negativeEntryOf(1))],
  ['a negative entry of another epoch', 'invalidated', sealed('before', negativeEntryOf(1))],
  ['another row', 'undecodable', sealed('rows', codec.encode({ id: 2, name: 'vase' }))],
  ['the negative entry of another row', 'undecodable', sealed('ids', negativeEntryOf(2))],
  ['a row that has lost bytes', 'undecodable', sealed('rows', payload).subarray(0, -1)],
  ['a negative entry that has lost bytes', 'undecodable', sealed('ids', negativeEntryOf(1)).subarray(0, -1)],
  ['another payload', 'undecodable', sealed('rows', 'no row')],
  ['a row of another schema', 'undecodable', sealed('rows', payload, { fingerprint: 'other' })],
  ['no envelope', 'undecodable', Buffer.from('no envelope')],
  ['a row that expires now', 'expired', sealed('rows', payload, { leftMs: 0 })],
  ['a negative entry that has expired', 'expired', sealed('ids', negativeEntryOf(1), { leftMs: -1 })],
])('returns no row for %s (%s)', (_, reason, value) => {
  expect(open(value)).toEqual({ isHit: false, reason })
})

it('uses nothing while no epoch is known', () => {
  const none = { epoch: null, existence: null }
  expect(open(sealed('rows', payload), none)).toEqual({ isHit: false, reason: 'invalidated' })
})

it('takes no damaged row for a negative entry because its schema has a fingerprint that begins as one', () => {
  const fingerprint = '-ab'
  const value = sealed('rows', payload, { fingerprint }).subarray(0, -1)
  const opener = { ...model, codec: { ...codec, fingerprint } }
  expect(open(value, current, opener)).toEqual({ isHit: false, reason: 'undecodable' })
})
