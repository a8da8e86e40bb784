import type { CatalogueAnswer, CatalogueEntry, CatalogueRequest } from './store.js'
import { newEpoch } from './guards.js'
import { run, type ScriptRunner } from './valkey-guards.js'

export async function askCatalogue(
  runner: ScriptRunner,
  key: string,
  { known, isWriter, put = new Map(), remove = [] }: CatalogueRequest,
): Promise<CatalogueAnswer> {
  const removed = remove.flatMap(({ field, putMs }) => [field, String(putMs)])
  const args = [
    known,
    newEpoch(),
    isWriter ? '1' : '0',
    String(remove.length),
    ...removed,
    ...[...put].flat(),
  ]
  const reply = await run(runner, 'mcCatalogue', [key, `${key}:word`], args)
  const [epoch, version, nowMs, fields] = reply as [string, string, string, string[]?]
  return { epoch, version, nowMs: Number(nowMs), entries: fields && entriesIn(fields) }
}

/** The entries among the fields and values of a hash. Fields that begin with `=` are the catalogue's own. */
function entriesIn(fields: readonly string[]): CatalogueEntry[] {
  const entries: CatalogueEntry[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [, addedMs, putMs, text] = /^(\d+);(\d+);(.*)$/s.exec(fields[i + 1]!) ?? []
    if (fields[i]!.startsWith('=') || text === undefined) continue
    entries.push({ field: fields[i]!, text, addedMs: Number(addedMs), putMs: Number(putMs) })
  }
  return entries
}
