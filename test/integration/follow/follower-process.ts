import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { FollowWorld } from './follow-worlds.js'

/** A follower in a process of its own. @param library see `builtLibrary` */
export function startFollowerProcess(
  { databaseUrl, namespace, valkey }: FollowWorld,
  library: string,
  url = databaseUrl,
) {
  const child = fork(join(import.meta.dirname, 'follower.process.mts'), {
    env: {
      ...process.env,
      LIBRARY: library,
      DATABASE_URL: url,
      VALKEY_URL: valkey.url,
      NAMESPACE: namespace,
    },
    execArgv: ['--no-warnings'],
  })
  const said = { takeovers: 0, warnings: [] as string[] }
  child.on('message', (message: { takeover?: true; warning?: string }) => {
    if (message.takeover) said.takeovers++
    if (message.warning) said.warnings.push(message.warning)
  })
  return { child, said }
}
