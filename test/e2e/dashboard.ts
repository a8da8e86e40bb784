/** The dashboard and the rules of docker/, for tests that ask a Prometheus. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
export const RULES = join(ROOT, 'docker/prometheus/alerts.yml')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[]
}

export const { panels } = JSON.parse(
  readFileSync(join(ROOT, 'docker/grafana/dashboards/model-cache.json'), 'utf8'),
) as { panels: readonly Panel[] }

/** Values of the dashboard variables. */
const variables: Record<string, string> = {
  job: 'auction',
  instance: '.*',
  model: '.*',
  // Longer than a busy machine takes for all queries.
  __rate_interval: '10m',
}
const interpolate = (expr: string): string =>
  expr.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? `no variable ${name}`)

/** The title of the panel and the query, for each query of the dashboard. */
export const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, interpolate(expr)]),
)

/** Whether a query has data only where a standby is followed. */
export const isAboutStandby = (query: string): boolean => query.includes('_standby_')

/** Whether a query selects entries of lookups, and no rows. */
export const isAboutLookups = (query: string): boolean => query.includes('lookup!=""')
