import { jest } from '@jest/globals'
import { addCallers, newBatch, newRead, type Read } from '../read/read.js'
import { ExpectedRows } from './expected-rows.js'
import type { LookupEntry } from './lookup-entry.js'

type EntryRead = Read<LookupEntry<number>, unknown>

const readOf = (key: string): EntryRead => newRead<LookupEntry<number>, unknown>(key, key, 0, newBatch())

function open(
  getMany: (ids: readonly Date[]) => Promise<(number | null)[]> = async (ids) => ids.map(Number),
) {
  const asked = jest.fn(getMany)
  const expected = new ExpectedRows<number, Date>(
    { toRowId: (date) => date.getTime() },
    { get: () => Promise.reject(new Error('not one by one')), getMany: asked, isEmpty: true },
  )
  return { expected, asked }
}

const dates = (...times: readonly number[]): Date[] => times.map((time) => new Date(time))

it('reads what an entry named last, once, for an entry that names the same in the same order', async () => {
  const { asked, expected } = open()
  const first = readOf('a')
  expected.begin([first])
  expect([expected.take(first, dates(1, 2)), asked.mock.calls]).toEqual([undefined, []])
  expected.note(first, dates(1, 2))
  const reads = [readOf('a'), readOf('a'), readOf('a'), readOf('a'), readOf('b')]
  expected.begin(reads)
  expect(asked).toHaveBeenCalledTimes(4)
  const [same, swapped, fewer, other, unknown] = reads
  expect(await expected.take(same!, dates(1, 2))).toEqual([1, 2])
  expect(expected.take(same!, dates(1, 2))).toBeUndefined()
  expect(expected.take(swapped!, dates(2, 1))).toBeUndefined()
  expect(expected.take(fewer!, dates(1))).toBeUndefined()
  expect(expected.take(other!, dates(1, 3))).toBeUndefined()
  expect(expected.take(unknown!, [])).toBeUndefined()
})

it('expects nothing of an entry that named none, or many', () => {
  const { asked, expected } = open()
  for (const [named, calls] of [
    [dates(1), 1],
    [[], 0],
    [dates(...Array(32).keys()), 1],
    [dates(...Array(33).keys()), 0],
  ] as const) {
    asked.mockClear()
    expected.note(readOf('a'), named)
    expected.begin([readOf('a')])
    expect(asked).toHaveBeenCalledTimes(calls)
  }
})

it('expects nothing for a call of a source, which would wait for rows that it does not know of', () => {
  const { asked, expected } = open()
  const read = readOf('a')
  expected.note(read, dates(1))
  addCallers(read, [])
  expected.begin([read])
  expect(asked).not.toHaveBeenCalled()
})

it('ends no process if rows cannot be read that nobody takes', async () => {
  const { expected } = open(() => Promise.reject(new Error('down')))
  expected.note(readOf('a'), dates(1))
  const read = readOf('a')
  expected.begin([read])
  await new Promise(setImmediate)
  await expect(expected.take(read, dates(1))).rejects.toThrow('down')
})

it('remembers a thousand entries', () => {
  const { asked, expected } = open()
  for (let key = 0; key < 1_000; key++) expected.note(readOf(String(key)), dates(key))
  expected.begin([readOf('0')])
  expect(asked).toHaveBeenCalledTimes(1)
  expected.note(readOf('another'), dates(1))
  expected.begin([readOf('0'), readOf('another')])
  expect(asked).toHaveBeenCalledTimes(2)
})
