/**
 * Jest's global set-up. An .mts file because Jest hands those to Node's own import(), which strips the types: a
 * .ts file would go through require() and a CommonJS compilation that the rest of this project does not have.
 */
import { startTestServers } from './test-servers.ts'

export default async function globalSetup(): Promise<void> {
  // On stderr, as all of Jest's own report: stdout belongs to --json.
  process.stderr.write(`${await startTestServers()}\n`)
}
