import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sourcesOfEntries } from '../../scripts/packages.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Pages by group, in the order in which a newcomer reads them. Each page is in one group; a test holds that. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: {
    '/getting-started': 'Getting started',
    '/adopt': 'Adopting in an application',
    '/demo': 'The demo',
  },
  Concepts: {
    '/how-it-works': 'How it works: reads',
    '/writes': 'Writes',
    '/lookups': 'Lists and unique keys',
    '/transparent-reads': 'Existing Prisma queries',
    '/results': 'Results of queries',
    '/follow': 'Following the database',
    '/follow-mysql': 'Following MariaDB and MySQL',
    '/consistency': 'Consistency',
    '/event-loop': 'The event loop',
    '/codec': 'The codec',
    '/glossary': 'Glossary',
  },
  Recipes: {
    '/recipes/': 'All recipes',
    '/recipes/rest': 'REST',
    '/graphql': 'GraphQL',
    '/recipes/queues': 'Queues',
    '/recipes/workers': 'Workers and scripts',
    '/recipes/multi-tenant': 'Several tenants',
    '/recipes/flush-a-tenant': "One tenant's data flushed",
    '/recipes/permissions': 'Permissions',
    '/recipes/personal-data': 'Personal data',
    '/recipes/other-packages': 'Beside other packages',
    '/recipes/regions': 'A second region',
    '/testing': 'Tests',
    '/recipes/deploys': 'Deployments',
    '/cluster': 'Cluster and Sentinel',
    '/recipes/migrate-from-cache-manager': 'From cache-manager',
    '/recipes/migrate-from-bentocache': 'From bentocache',
    '/recipes/migrate-from-json': 'From JSON with a reviver',
    '/recipes/migrate-from-accelerate': 'From Prisma Accelerate',
    '/recipes/migrate-from-redis-extension': 'From prisma-extension-redis',
  },
  Operations: {
    '/operations': 'Operations',
    '/troubleshooting': 'Troubleshooting',
    '/upgrading': 'Upgrading',
    '/inspector': 'Inspector',
    '/metrics': 'Metrics',
    '/tracing': 'Tracing',
    '/health': 'Health',
    '/capacity': 'Capacity',
    ...existing({ '/doctor': 'Doctor' }),
  },
  Reference: {
    '/compatibility': 'Compatibility',
    '/databases': 'Databases',
    '/options': 'Options',
    '/writes-reference': 'Every form of a write',
    '/follow-reference': 'The follower',
    '/reference/': 'Entry points',
    ...referencePages(),
  },
  Project: {
    '/benchmarks': 'Benchmarks',
    '/model-checking': 'Model checking',
    '/decisions': 'Decisions',
    '/architecture': 'Architecture',
    '/internals': 'Internals',
    '/contributing': 'Contributing',
    '/security': 'Security',
    '/changelog': 'Changelog',
  },
}

export const sidebar = Object.entries(GROUPS).map(([text, pages]) => ({
  text,
  items: Object.entries(pages).map(([link, title]) => ({ text: title, link })),
}))

export const navigation = [
  { text: 'Get started', link: '/getting-started' },
  { text: 'Recipes', link: '/recipes/' },
  { text: 'Operations', link: '/operations' },
  { text: 'Reference', link: '/reference/' },
]

/** A page for each entry point for applications, as TypeDoc names them. */
function referencePages(): Record<string, string> {
  const entryPoints = Object.keys(sourcesOfEntries()).filter((entry) => !entry.endsWith('/internal'))
  return Object.fromEntries(entryPoints.map((entry) => [`/reference/${entry}`, entry]))
}

/** Those whose page is there. */
function existing(pages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pages).filter(([link]) => existsSync(join(ROOT, `docs${link}.md`))),
  )
}
