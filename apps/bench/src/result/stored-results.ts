import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { RunOptions } from '../run-options.ts'
import type { Result } from './result.ts'

/** The reference results, which are committed: README, docs/benchmarks.md and the report are made of them. */
const RESULTS = join(import.meta.dirname, '../../results')

/** Where the reference result of a suite is stored. */
export const referenceOf = (suite: string): string => join(RESULTS, `${suite}.json`)

/**
 * Where the result of a run belongs: the file that was asked for; else, of a full run with nothing left out or changed,
 * the reference of its suite; else nowhere.
 */
export function placeOf(suite: string, options: RunOptions, out: string | undefined): string | undefined {
  if (out !== undefined) return out
  const { quick, only, minutes, semiSpaceMb } = options
  const isReference = !quick && only.length === 0 && minutes === undefined && semiSpaceMb === undefined
  return isReference ? referenceOf(suite) : undefined
}

export function storeResult(path: string, result: Result): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`)
}

/** @throws when the file is not a result of the suite */
export function readResult(suite: string, path = referenceOf(suite)): Result | undefined {
  if (!existsSync(path)) return undefined
  const result = JSON.parse(readFileSync(path, 'utf8')) as Result
  if (result.suite === suite && result.figures && result.noise) return result
  throw new Error(
    `${relative(process.cwd(), path)} is no result of "${suite}". Make it anew: npm run bench -- ${suite}`,
  )
}
