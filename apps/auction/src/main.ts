import { announce } from './announce.js'
import { readEnvironment } from './config/read-environment.js'
import { StartError } from './config/start-error.js'
import { createApp } from './create-app.js'
import { endWithNpm } from './end-with-npm.js'

try {
  const config = readEnvironment(process.env)
  const app = await createApp(config)
  // Answers what is under way, closes the database and the cache, and ends with 0.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true })
  endWithNpm()
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
    return `PORT: ${port} is taken by another program. Stop that program, or start with PORT=${(port ?? 3000) + 1}.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
