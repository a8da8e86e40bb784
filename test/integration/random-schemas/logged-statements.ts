/** What a server of PostgreSQL has been sent, by its own log. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from '../../support/eventually.js'
import { startPostgres } from '../../support/start-postgres.ts'

/** A line of the log in JSON. */
interface Line {
  readonly application_name?: string
  readonly message: string
  readonly detail?: string
}

export interface LoggingServer {
  readonly url: string
  /** Returns what an application has sent since the last call, each statement with its parameters. */
  statementsOf(application: string): Promise<readonly string[]>
  stop(): Promise<unknown>
}

export async function startLoggingServer(): Promise<LoggingServer> {
  const server = await startPostgres({
    log_statement: 'all',
    logging_collector: 'on',
    log_destination: 'jsonlog',
    log_filename: 'all.log',
  })
  const session = new pg.Client({ connectionString: server.url })
  await session.connect()
  const { rows } = await session.query<{ folder: string }>(
    `SELECT current_setting('data_directory') AS folder`,
  )
  const path = join(rows[0]!.folder, 'log/all.json')
  let marks = 0
  let position = 0
  return {
    url: server.url,
    async statementsOf(application) {
      const mark = `SELECT 'mark ${++marks}'`
      await session.query(mark)
      let text = ''
      await eventually(async () => (text = (await readFile(path, 'utf8')).slice(position)).includes(mark))
      const lines = text.slice(0, text.lastIndexOf('\n') + 1)
      position += lines.length
      return lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
        .filter((line) => line.application_name === application)
        .flatMap(({ detail, message }) => {
          const sql = /^(?:statement|execute [^:]*): ([^]*)$/.exec(message)?.[1]
          return sql === undefined ? [] : [detail === undefined ? sql : `${sql} -- ${detail}`]
        })
    },
    async stop() {
      await session.end()
      await server.stop()
    },
  }
}
