import type { FormatCalls, OperationCalls } from './formats-measurements.ts'
import { summarise } from './summarise.ts'

const operation = (heapBytes: number, ...ms: number[]): OperationCalls => ({
  calls: ms.map((each) => ({ ms: each, cpuMs: each * 2, gcRuns: 1, gcMs: each / 10 })),
  heapBytes,
  bufferBytes: 0,
})

const round = (encode: OperationCalls): FormatCalls => ({ bytes: 70, encode, decode: operation(5, 1) })

describe('summarise', () => {
  it('takes the medians of the calls of all rounds', () => {
    const rounds = [round(operation(100, 10, 20)), round(operation(300, 30, 40, 50))]
    const { bytes, encode, decode } = summarise('a', 'tuned', rounds)
    expect(encode).toEqual({
      ms: 30,
      cpuMs: 60,
      gcRuns: 1,
      gcMs: 3,
      spread: 0.333,
      heapBytes: 200,
      bufferBytes: 0,
    })
    expect(decode.ms).toBe(1)
    expect(bytes).toBe(70)
  })
})
