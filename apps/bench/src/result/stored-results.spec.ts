import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from './result.ts'
import { placeOf, readResult, referenceOf, storeResult } from './stored-results.ts'

const full = { quick: false, only: [] }

describe('stored results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-cache-results-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are references of full runs, unless another file is named', () => {
    expect(placeOf('storm', full, undefined)).toBe(referenceOf('storm'))
    expect(placeOf('storm', full, 'here.json')).toBe('here.json')
    expect(placeOf('storm', { ...full, quick: true }, 'here.json')).toBe('here.json')
  })

  it.each([{ quick: true }, { only: ['raw'] }, { minutes: 1 }, { semiSpaceMb: 64 }])(
    'are none of runs that leave out or change something: %j',
    (option) => expect(placeOf('storm', { ...full, ...option }, undefined)).toBeUndefined(),
  )

  it('come back as they were, and as nothing where there is none', () => {
    const path = join(folder, 'deep', 'storm.json')
    const result = { suite: 'storm', figures: {}, noise: {}, cases: [1] } as unknown as Result
    expect(readResult('storm', path)).toBeUndefined()
    storeResult(path, result)
    expect(readResult('storm', path)).toEqual(result)
  })

  it('are refused when they are of something else', () => {
    const path = join(folder, 'other.json')
    writeFileSync(path, '{"suite":"codec"}')
    expect(() => readResult('storm', path)).toThrow('other.json is no result of "storm"')
  })
})
