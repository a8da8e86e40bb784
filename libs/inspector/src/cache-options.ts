import type { AnyModelCacheDefinition } from 'model-cache/internal'
import type { CacheOptionsReport } from './report.js'
import { shownValue } from './show-value.js'

/** What a definition says, without its functions and schemas. */
export function cacheOptionsOf(definition: AnyModelCacheDefinition): CacheOptionsReport {
  const { dependsOn, format, include, l1, load, needsFollower, omit, refine, schema, select, version } =
    definition
  return {
    ttlMs: definition.ttlMs,
    notFoundTtlMs: definition.notFoundTtlMs,
    refreshAheadMs: definition.refreshAheadMs,
    staleForMs: definition.staleForMs,
    l1: l1
      ? { ttlMs: l1.ttlMs, maxEntries: l1.maxEntries, maxBytes: l1.maxBytes, hot: l1.hotPerSecond ?? null }
      : null,
    rows: definition.sharesRows ? 'shared' : 'copies',
    select: textOf(select),
    include: textOf(include),
    omit: textOf(omit),
    refine: Object.keys(refine ?? {}),
    schema: schema !== undefined,
    load: load !== undefined,
    dependsOn: dependsOn ?? null,
    follow: needsFollower ? 'required' : null,
    format: format ?? null,
    largePayloadBytes: definition.largePayloadBytes,
    compressAboveBytes: definition.compressAboveBytes ?? null,
    version: version ?? null,
  }
}

function textOf(value: object | undefined): string | null {
  const shown = shownValue(value ?? {})
  return value && shown.kind === 'text' ? shown.text : null
}
