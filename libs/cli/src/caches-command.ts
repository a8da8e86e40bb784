import { parseArgs } from 'node:util'
import {
  type CacheDescription,
  connectNodes,
  describeForm,
  type DescribedCache,
  modelKeys,
  readCatalogue,
  registerIn,
} from 'model-cache/internal'
import type { Command } from './command.js'
import { answerMs, neededAddress, storeOptions, storeUsage } from './options.js'

/** A cache, as it is printed. */
interface ListedCache {
  readonly name: string
  /** Undefined, as the other parts, if another version of the library has described the cache. */
  readonly model?: string
  /** `id: string` */
  readonly id?: readonly string[]
  readonly dependsOn: readonly string[]
  /** `ofItem(itemId)` */
  readonly lookups: readonly string[]
  /** The tables that a follower has to see. */
  readonly tables: readonly string[]
  /** The schema versions of its rows. */
  readonly fingerprints: readonly string[]
  /** How its values are stored, if not as they are: `encrypted`. */
  readonly atRest: readonly string[]
  /** Whether a write of unknown rows is running, so that no row counts. */
  readonly isFenced: boolean
}

export const cachesCommand: Command = {
  usage: `Usage: model-cache caches [options]

Lists the caches of all processes of a namespace, as the catalogue in the store has them.

${storeUsage}`,

  async run(args, { line, ...output }) {
    const { values } = parseArgs({ args: [...args], options: storeOptions })
    const { json, namespace } = values
    const nodes = await connectNodes(neededAddress(values, { line, ...output }), answerMs)
    try {
      const { caches } = await readCatalogue(nodes, namespace)
      const byName = Map.groupBy(caches, ({ name }) => name)
      const listed: ListedCache[] = []
      for (const [name, versions] of [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const { registerKey } = modelKeys(namespace, name)
        const register = (await nodes.nodeOf(registerKey).call('GET', registerKey)) as string | null
        const isFenced = registerIn(register ?? '')?.isFenced ?? false
        listed.push(listedCache(name, versions, isFenced))
      }
      if (json) line(JSON.stringify({ version: 1, namespace, caches: listed }, null, 2))
      else if (listed.length === 0) line(`The namespace "${namespace}" has no caches.`)
      else for (const cache of listed) printCache(cache, line)
      return 0
    } finally {
      nodes.close()
    }
  },
}

function listedCache(name: string, versions: readonly DescribedCache[], isFenced: boolean): ListedCache {
  const fingerprints = [...new Set(versions.map(({ fingerprint }) => fingerprint))]
  const descriptions = versions.flatMap(({ description }) => description ?? [])
  const latest = descriptions.at(-1)
  /** What one of the versions has: processes of several deployments may be running. */
  const ofAll = (partsOf: (description: CacheDescription) => readonly string[]): readonly string[] => [
    ...new Set(descriptions.flatMap(partsOf)),
  ]
  return {
    name,
    ...(latest && { model: latest.model, id: latest.id.map((field) => `${field.name}: ${field.kind}`) }),
    dependsOn: ofAll(({ dependsOn }) => dependsOn),
    lookups: ofAll(({ lookups }) =>
      lookups.map((lookup) => `${lookup.name}(${(lookup.key ?? []).map((field) => field.name).join(', ')})`),
    ),
    tables: ofAll(({ tables }) =>
      [...(tables?.models ?? []), ...(tables?.joins ?? [])].map((table) => `${table.schema}.${table.name}`),
    ),
    fingerprints,
    atRest: formsOf(versions),
    isFenced,
  }
}

/** None if all versions store in clear text. Versions in different forms have different fingerprints. */
function formsOf(versions: readonly DescribedCache[]): readonly string[] {
  const byForm = Map.groupBy(versions, ({ description }) => describeForm(description?.atRest))
  const forms = [...byForm.keys()]
  if (forms.length < 2) return forms.filter(Boolean)
  return Array.from(byForm, ([form, ofForm]) => {
    const fingerprints = new Set(ofForm.map(({ fingerprint }) => fingerprint))
    return `${form || 'in clear text'} (${[...fingerprints].join(', ')})`
  })
}

function printCache(cache: ListedCache, line: (text: string) => void): void {
  const { atRest, dependsOn, fingerprints, id, isFenced, lookups, model, name, tables } = cache
  line(name)
  const part = (title: string, values: readonly string[]): void => {
    if (values.length > 0) line(`  ${title.padEnd(14)}${values.join(', ')}`)
  }
  part('model', [model ?? 'unknown: another version of model-cache has described it'])
  part('id', id ?? [])
  part('depends on', dependsOn)
  part('lookups', lookups)
  part('tables', tables)
  part('fingerprints', fingerprints)
  part('at rest', atRest)
  part('fenced', isFenced ? ['yes: a write of unknown rows is running, so no row counts'] : [])
}
