import { openOneMget } from './one-mget.ts'
import { reviveFields } from './revive-fields.ts'
import type { OpenCase, StormEnvironment } from './storm-case.ts'

/** The floor of reading: every caller is given the text, which nobody decodes. */
export async function openRaw(environment: StormEnvironment): Promise<OpenCase> {
  return {
    ...(await openOneMget(environment, (text) => text)),
    rowOf(text) {
      const row: unknown = JSON.parse(text as string)
      reviveFields(row)
      return row
    },
  }
}
