import { describeForm, type InspectedRoot, type RootCache } from 'model-cache/internal'
import { cacheOptionsOf } from './cache-options.js'
import { type Counts, sumOf } from './counts.js'
import type { CountsOverTime } from './counts-history.js'
import { figuresOf } from './figures.js'
import { hottestOf } from './hottest.js'
import { lookupDefinitionOf } from './lookup-report.js'
import type { ProcessFacts } from './process-facts.js'
import type { Action, CacheName, CacheReport, Figures, FiguresOverTime, ProcessReport } from './report.js'

/** The report of a process, whose counts have become figures. */
export function processReportOf(facts: ProcessFacts): ProcessReport {
  const { listed: _, seconds, ...report } = facts
  const figures = (counts: CountsOverTime): FiguresOverTime => figuresOver([{ counts, seconds }])
  return {
    ...report,
    caches: facts.caches.map((cache) => ({
      ...cache,
      figures: figures(cache.figures),
      lookups: cache.lookups.map((lookup) => ({ ...lookup, figures: figures(lookup.figures) })),
    })),
  }
}

/** A cache over all processes. */
export function cacheReportOf(
  cache: CacheName,
  { definition, inspected }: RootCache,
  processes: readonly ProcessFacts[],
  actions: readonly Action[],
): CacheReport {
  const { description, lookups } = inspected
  const found = processes.flatMap((process) => {
    const { seconds } = process
    const ofCache = process.caches.find(({ name, root }) => name === cache.name && root === cache.root)
    return ofCache ? [{ process, ofCache, seconds }] : []
  })
  const fingerprints = new Set(found.flatMap(({ ofCache }) => [ofCache.fingerprint, ...ofCache.fingerprints]))
  return {
    name: cache.name,
    root: cache.root,
    model: description.model,
    idFields: description.id,
    options: cacheOptionsOf(definition),
    atRest: describeForm(description.atRest) || null,
    fingerprints: [...fingerprints].map((fingerprint) => ({
      fingerprint,
      processes: found.flatMap(({ process, ofCache }) =>
        ofCache.fingerprint === fingerprint ? [process.id] : [],
      ),
    })),
    figures: figuresOver(found.map(({ ofCache, seconds }) => ({ seconds, counts: ofCache.figures }))),
    hottest: hottestOf(found.map(({ ofCache }) => ofCache.hot)),
    lookups: lookups.all.map(({ bound }) => ({
      name: bound.name,
      kind: bound.kind,
      keyFields: bound.description.key.map(({ kind, name }) => ({ kind, name })),
      definition: lookupDefinitionOf(bound),
      figures: figuresOver(
        found.flatMap(({ ofCache, seconds }) => {
          const counts = ofCache.lookups.find(({ name }) => name === bound.name)?.figures
          return counts ? [{ seconds, counts }] : []
        }),
      ),
      hottest: hottestOf(
        found.map(({ ofCache }) => ofCache.lookups.find(({ name }) => name === bound.name)?.hot),
      ),
    })),
    actions,
  }
}

/** What the catalogue of a namespace lists, and no process that answered. */
export function foreignCaches(
  roots: readonly InspectedRoot[],
  processes: readonly ProcessFacts[],
): readonly { readonly root: string | null; readonly name: string; readonly model: string | null }[] {
  return roots.flatMap(({ catalogue, name: root = null }) => {
    const known = new Set(
      processes.flatMap(({ listed }) => listed.flatMap(({ names, root: of }) => (of === root ? names : []))),
    )
    const foreign = new Map(
      catalogue.caches
        .filter(({ name }) => !known.has(name))
        .map(({ affectedBy, name }) => [name, affectedBy?.[0]?.model]),
    )
    return [...foreign].map(([name, model = null]) => ({ root, name, model }))
  })
}

interface Measured {
  readonly counts: CountsOverTime
  readonly seconds: ProcessFacts['seconds']
}

/** The figures of several processes together. Rates are those of all processes: their times are about the same. */
function figuresOver(all: readonly Measured[]): FiguresOverTime {
  const over = (window: keyof CountsOverTime): Figures | null => {
    const counted = all.flatMap(({ counts: { [window]: counts }, seconds }) =>
      counts ? [{ counts, seconds: seconds[window] }] : [],
    )
    if (counted.length === 0) return null
    return figuresOf(
      sumOf(counted.map(({ counts }) => counts)),
      Math.max(...counted.map(({ seconds }) => seconds)),
    )
  }
  const nothing = (): Figures => figuresOf({} satisfies Counts, 0)
  return {
    sinceStart: over('sinceStart') ?? nothing(),
    lastHour: over('lastHour') ?? nothing(),
    last5Minutes: over('last5Minutes') ?? nothing(),
    recent: over('recent'),
  }
}
