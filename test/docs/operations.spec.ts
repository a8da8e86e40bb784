import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT, withoutCode } from './pages.js'

describe('docs/operations.md', () => {
  it('quotes titles of panels as the dashboard has them', () => {
    const dashboard = readFileSync(join(ROOT, 'docker/grafana/dashboards/model-cache.json'), 'utf8')
    const quoted = [...withoutCode(readPage('docs/operations.md')).matchAll(/"([^"]+)"/g)].map(([, title]) =>
      title!.replaceAll(/\s+/g, ' '),
    )
    expect(quoted.length).toBeGreaterThan(10)
    expect(quoted.filter((title) => !dashboard.includes(`"title": "${title}"`))).toEqual([])
  })
})
