import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Output, UsageError } from './command.js'

/** @param from a file, or `-` for the standard input. @throws UsageError */
export function readJson(from: string, { folder }: Output): unknown {
  try {
    return JSON.parse(readFileSync(from === '-' ? 0 : resolve(folder, from), 'utf8'))
  } catch (error) {
    throw new UsageError(`${nameOf(from)} cannot be read: ${(error as Error).message}`)
  }
}

export const nameOf = (from: string): string => (from === '-' ? 'The standard input' : from)
