/** What tests reach, kept between runs for as long as neither the mutants nor the spec change. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Survey } from './worker.ts'

export class SurveyCache {
  private readonly folder: string
  private readonly mutants: string

  constructor(folder: string, texts: ReadonlyMap<string, string>) {
    this.folder = folder
    this.mutants = JSON.stringify([...texts])
  }

  get(spec: string): Survey | undefined {
    const path = this.pathOf(spec)
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Survey) : undefined
  }

  set(spec: string, survey: Survey): void {
    // What failed may have been the fault of a busy machine.
    if (Object.keys(survey.failed).length > 0) return
    mkdirSync(this.folder, { recursive: true })
    writeFileSync(this.pathOf(spec), JSON.stringify(survey))
  }

  private pathOf(spec: string): string {
    const hash = createHash('sha256').update(this.mutants).update(spec).update(readFileSync(spec))
    return join(this.folder, `${hash.digest('hex').slice(0, 32)}.json`)
  }
}
