import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT, withoutCode } from './pages.js'

const dashboard = readFileSync(join(ROOT, 'docker/grafana/dashboards/model-cache.json'), 'utf8')
const alerts = readFileSync(join(ROOT, 'docker/prometheus/alerts.yml'), 'utf8')

/** The names of metrics in a text. Those of the series of a histogram are its own. */
const metricsIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/(?<![\w:])(?:model_cache|event_loop|handler_event_loop|gc)_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )

describe('docs/operations.md', () => {
  it('quotes titles of panels as the dashboard has them', () => {
    const quoted = [...withoutCode(readPage('docs/operations.md')).matchAll(/"([^"]+)"/g)].map(([, title]) =>
      title!.replaceAll(/\s+/g, ' '),
    )
    expect(quoted.length).toBeGreaterThan(10)
    expect(quoted.filter((title) => !dashboard.includes(`"title": "${title}"`))).toEqual([])
  })
})

describe('the dashboard and the alerts', () => {
  it('use metrics that docs/metrics.md lists, which test/e2e/prometheus.spec.ts scrapes', () => {
    const listed = metricsIn(readPage('docs/metrics.md'))
    const used = metricsIn(dashboard + alerts)
    expect(used.size).toBeGreaterThan(25)
    expect([...used].filter((name) => !listed.has(name))).toEqual([])
  })

  it('have every metric that docs/adopt.md decides by', () => {
    const decisive = metricsIn(readPage('docs/adopt.md'))
    expect(decisive.size).toBeGreaterThan(5)
    const shown = metricsIn(dashboard)
    expect([...decisive].filter((name) => !shown.has(name))).toEqual([])
  })
})
