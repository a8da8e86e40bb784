import type { CatalogueListing } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/** What the catalogue says of the caches of a namespace. */
export function checkCaches({ caches, epoch }: CatalogueListing, namespace: string): readonly Finding[] {
  if (caches.length === 0)
    return [
      fault(
        'note',
        'caches.none',
        `The namespace ${namespace} has no caches.`,
        'No application has started with it on this server yet, or its namespace is another one.',
        'Name the namespace with --namespace; that of a named root is <namespace>:<root>.',
      ),
    ]
  const names = [...new Set(caches.map(({ name }) => name))]
  const findings: Finding[] = [
    ok('caches.listed', `The namespace ${namespace} has the caches ${names.join(', ')}.`),
  ]
  if (epoch === undefined)
    findings.push(
      fault(
        'warning',
        'caches.epoch',
        `The catalogue of ${namespace} has lost its epoch.`,
        'No stored row counts until an application writes or starts. The server may have evicted or lost keys.',
        'Restart one process; see valkey.eviction.',
      ),
    )
  const unknown = names.filter((name) =>
    caches.some((cache) => cache.name === name && cache.description === undefined),
  )
  if (unknown.length > 0)
    findings.push(
      fault(
        'warning',
        'caches.version',
        `Another version of model-cache has described ${unknown.join(', ')}.`,
        'Processes of this version cannot tell which of their rows a write changes, so each write invalidates all of them.',
        'Deploy one version of model-cache everywhere.',
      ),
    )
  return findings
}
