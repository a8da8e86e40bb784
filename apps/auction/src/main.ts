import { announce } from './announce.js'
import { readEnvironment } from './config/read-environment.js'
import { StartError } from './config/start-error.js'
import { createApp } from './create-app.js'
import { exitWithNpm } from './exit-with-npm.js'

try {
  const config = readEnvironment(process.env)
  const app = await createApp(config)
  // Finishes open requests, closes the database and the cache, and exits with code 0.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true })
  exitWithNpm()
  await app.listen(config.port, config.host)
  await announce(app, config.production)
} catch (error) {
  process.stderr.write(`\nThe auction did not start.\n${explain(error)}\n`)
  process.exit(1)
}

function explain(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') {
    return `PORT: ${port} is in use by another program. Stop that program, or start with PORT=${(port ?? 3000) + 1}.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
