import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placeOf, readResult, referenceOf, storeResult, type Result } from './result.ts'

const full = { quick: false, only: [] }

describe('stored results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-cache-results-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are references of full runs, unless --out names a file', () => {
    expect(placeOf('storm', full, undefined)).toBe(referenceOf('storm'))
    expect(placeOf('storm', { ...full, quick: true }, 'here.json')).toBe('here.json')
    expect(placeOf('soak', { ...full, minutes: 60 }, undefined)).toBe(referenceOf('soak'))
  })

  it.each([{ quick: true }, { only: ['raw'] }, { minutes: 1 }, { semiSpaceMb: 64 }])(
    'are not those of partial or changed runs: %j',
    (option) => expect(placeOf('storm', { ...full, ...option }, undefined)).toBeUndefined(),
  )

  it('come back as they were', () => {
    const path = join(folder, 'deep', 'storm.json')
    const result = { suite: 'storm', figures: {}, noise: {}, cases: [1] } as unknown as Result
    expect(readResult('storm', path)).toBeUndefined()
    storeResult(path, result)
    expect(readResult('storm', path)).toEqual(result)
  })

  it('are rejected when they are of another suite', () => {
    const path = join(folder, 'other.json')
    writeFileSync(path, '{"suite":"codec"}')
    expect(() => readResult('storm', path)).toThrow('other.json is not a result of "storm"')
  })
})
