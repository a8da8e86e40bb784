import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reapWithThisProcess } from './reaper.ts'

export interface ServerProcessOptions {
  /** What to call it in messages. */
  name: string
  command: string
  args: string[]
  /** Beside this process's environment. */
  env?: Record<string, string>
  /** The server's own folder: its log goes there, and it is deleted when the server stops. */
  folder: string
  /** Another folder that is deleted with it. */
  dataFolder?: string
  /** Leaves the other folder for the next server, unless this process ends before. */
  keepsData?: boolean
  /** The signal that ends the server at once, without leaving anything behind. */
  endWith: 'KILL' | 'QUIT'
  /** Whom to run as, when not as ourselves. */
  identity?: { uid: number; gid: number } | undefined
  /** Resolves once the server answers; called again and again until it does. */
  probe: () => Promise<void>
}

export interface ServerProcess {
  pid: number
  /** Ends the server and removes its folder; harmless when it is gone already. */
  stop: () => Promise<void>
  /** Sends any signal. Resolves after the exit for signals that end the server, else at once. */
  kill: (signal: NodeJS.Signals) => Promise<void>
}

const START_DEADLINE_MS = 90_000
const SIGNALS_THAT_DO_NOT_END_IT: NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']

/** Starts a server and waits until it answers; a server that does not start fails with the end of its log. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { name, command, args, env, folder, dataFolder, keepsData, endWith, identity, probe } = options
  const folders = dataFolder === undefined ? [folder] : [folder, dataFolder]
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  // Detached, so that Ctrl-C does not take the server away under tests that are still running: the reaper does.
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
    detached: true,
    ...identity,
  })
  closeSync(log)
  child.unref()

  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`exit ${signal ?? code}`))
  })
  let running = true
  void exited.then(() => (running = false))

  const release = child.pid === undefined ? () => {} : reapWithThisProcess(child.pid, endWith, folders)
  const stop = async () => {
    child.ref()
    child.kill(`SIG${endWith}`)
    child.kill('SIGCONT') // a test may have paused it, and a paused process gets no other signal than SIGKILL
    await exited
    release()
    const left = keepsData ? [folder] : folders
    await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })))
  }
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    if (SIGNALS_THAT_DO_NOT_END_IT.includes(signal)) return
    child.ref()
    await exited
  }

  const deadline = Date.now() + START_DEADLINE_MS
  for (;;) {
    const lastError: unknown = await probe().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (lastError === undefined) return { pid: child.pid ?? 0, stop, kill }
    if (running && Date.now() < deadline) {
      await Promise.race([sleep(10), exited])
      continue
    }
    const ending = running ? `no answer within ${START_DEADLINE_MS} ms: ${String(lastError)}` : await exited
    const tail = (await readFile(logFile, 'utf8').catch(() => '')).split('\n').slice(-15).join('\n').trim()
    await stop()
    throw new Error(`${name} did not start (${ending}).\nCommand: ${command} ${args.join(' ')}\nLog: ${tail}`)
  }
}
