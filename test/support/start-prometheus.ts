import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrometheus } from './find-prometheus.ts'
import { freePort } from './free-port.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'

export interface PrometheusServer extends ServerProcess {
  url: string
  /** What the query API answers, now. Throws the error that it answers with. */
  query: (expression: string) => Promise<Sample[]>
  get: (path: string) => Promise<unknown>
}

export interface Sample {
  labels: Record<string, string>
  value: number
}

export interface StartPrometheusOptions {
  /** `host:port` of what it scrapes, four times a second, as the job `auction`. */
  target: string
  /** Files of rules. */
  rules: string[]
}

/** Starts an empty Prometheus on the loopback interface that dies with this process; it has scraped its target once. */
export async function startPrometheus({ target, rules }: StartPrometheusOptions): Promise<PrometheusServer> {
  const { prometheus, version } = await findPrometheus()
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  const config = {
    global: { scrape_interval: '250ms', scrape_timeout: '250ms', evaluation_interval: '250ms' },
    rule_files: rules,
    scrape_configs: [{ job_name: 'auction', static_configs: [{ targets: [target] }] }],
  }
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const url = `http://127.0.0.1:${port}`
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(url + path)
    const body = (await response.json()) as { status: string; error?: string; data: unknown }
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`)
    return body.data
  }
  const query = async (expression: string): Promise<Sample[]> => {
    const data = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)
    const { result } = data as { result: { metric: Record<string, string>; value: [number, string] }[] }
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
  }
  const server = await startServerProcess({
    name: `Prometheus ${version}`,
    command: prometheus,
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    folder,
    endWith: 'KILL',
    // It learns of its targets five seconds after its start.
    probe: async () => {
      const [up] = await query('up')
      if (up?.value !== 1) throw new Error(`the target has not been scraped: ${JSON.stringify(up)}`)
    },
  })
  return { ...server, url, get, query }
}
