import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Progress } from '../../scripts/mutate/progress.ts'

describe('what a mutation run has found', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mutation-progress-'))
    path = join(folder, 'results/codec.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const sourceOf = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  const mutantsOf = (file: string, numbers: readonly number[]) =>
    numbers.map((number) => ({
      id: String(number),
      key: `${file}#${number}`,
      file,
      line: 1,
      mutator: 'ConditionalExpression',
      original: 'a > b',
      replacement: 'true',
    }))

  it('is found again by the next run: mutants that were noticed, and rounds that have ended', () => {
    const mutants = mutantsOf(sourceOf('a.ts', 'a > b'), [0, 1, 2, 5, 6, 9])
    const first = new Progress(path, mutants)
    expect(mutants.some((mutant) => first.hasNoticed(mutant))).toBe(false)
    for (const i of [0, 3]) first.notice(mutants[i]!)
    first.rounds = 2
    first.write()
    const next = new Progress(path, mutants)
    expect(mutants.map((mutant) => next.hasNoticed(mutant))).toEqual([true, false, false, true, false, false])
    expect(next.rounds).toBe(2)
  })

  it('says nothing of a file that has changed, for which all rounds begin again', () => {
    const [a, b] = [sourceOf('a.ts', 'a > b'), sourceOf('b.ts', 'a > b')]
    const mutants = [...mutantsOf(a, [0, 1]), ...mutantsOf(b, [0])]
    const first = new Progress(path, mutants)
    for (const mutant of mutants) first.notice(mutant)
    first.rounds = 2
    first.write()
    sourceOf('a.ts', 'a > b // changed')
    const next = new Progress(path, mutants)
    expect(mutants.map((mutant) => next.hasNoticed(mutant))).toEqual([false, false, true])
    expect(next.rounds).toBe(0)
  })

  it('is written while a run goes on, as it may be stopped at any time', () => {
    const mutants = mutantsOf(sourceOf('a.ts', 'a > b'), [0, 1])
    new Progress(path, mutants).notice(mutants[1]!)
    const next = new Progress(path, mutants)
    expect(mutants.map((mutant) => next.hasNoticed(mutant))).toEqual([false, true])
  })
})
