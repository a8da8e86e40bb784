/** Processes that run specs. One that hangs, ends or was left dirty by a mutant is replaced. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Costs } from './costs.ts'
import type { Answer, Job } from './worker.ts'

const LOOK_MS = 1_000
/** The first job of a spec loads its modules, which takes seconds of computing. */
const LOAD_BLOCK_MS = 10_000
/** Node keeps what it has compiled. */
const CACHED = { NODE_COMPILE_CACHE: 'dist/mutate/compiled' }

/** Has the process do a job. @returns undefined if it ends */
export type Ask = (job: Job) => Promise<Answer | undefined>

export class Pool {
  readonly costs = new Costs()

  private readonly idle: Runner[] = []
  private readonly all = new Set<Runner>()
  private nextNumber = 1

  private readonly textsFile: string

  constructor(textsFile: string) {
    this.textsFile = textsFile
  }

  /** Runs jobs in one process after the other. */
  async use<T>(run: (ask: Ask) => Promise<T>): Promise<T> {
    let runner = this.idle.pop() ?? this.start()
    const result = await run(async (job) => {
      const answer = await this.ask(runner, job)
      const isUsable = answer?.kind === 'survey' || (answer?.kind === 'run' && !answer.dirty)
      if (!isUsable || runner.isLarge(job)) {
        this.end(runner)
        runner = this.start()
      }
      return answer
    })
    this.idle.push(runner)
    return result
  }

  /** Runs jobs in a process that has loaded its modules with the mutant. */
  async useFresh<T>(mutant: string, run: (ask: Ask) => Promise<T>): Promise<T> {
    const runner = this.start({ __STRYKER_ACTIVE_MUTANT__: mutant })
    try {
      return await run((job) => this.ask(runner, job))
    } finally {
      this.end(runner)
    }
  }

  /** Ends all processes. Later ones inherit what the environment has become. */
  close(): void {
    for (const runner of this.all) this.end(runner)
    this.idle.length = 0
  }

  private async ask(runner: Runner, job: Job): Promise<Answer | undefined> {
    const beforeMs = runner.computedMs()
    const answer = await runner.ask(job)
    this.costs.add(answer, answer ? runner.computedMs() - beforeMs : 0)
    return answer
  }

  private start(environment: NodeJS.ProcessEnv = {}): Runner {
    const used = new Set([...this.all].map(({ number }) => number))
    while (used.has(this.nextNumber)) this.nextNumber = (this.nextNumber % 60) + 1
    const runner = new Runner(this.nextNumber, { MUTATE_TEXTS: this.textsFile, ...environment })
    this.all.add(runner)
    return runner
  }

  private end(runner: Runner): void {
    this.all.delete(runner)
    runner.end()
  }
}

class Runner {
  private readonly process: ChildProcess
  private ended = false

  /** That of its database in Valkey. */
  readonly number: number

  constructor(number: number, environment: NodeJS.ProcessEnv) {
    this.number = number
    this.process = fork(join(import.meta.dirname, 'worker.ts'), {
      env: { ...process.env, NODE_ENV: 'test', JEST_WORKER_ID: String(number), ...CACHED, ...environment },
      execArgv: [
        '--import',
        join(import.meta.dirname, 'modules.ts'),
        '--no-warnings',
        '--max-semi-space-size=32',
      ],
      stdio: ['ignore', 'ignore', process.env.MUTATE_STDERR ? 'inherit' : 'ignore', 'ipc'],
    })
    this.process.once('exit', () => (this.ended = true))
  }

  private evaluations = 0
  /** Those that this process has run. */
  private readonly specs = new Set<string>()

  /** Evaluated specs are never collected. */
  isLarge(job: Job): boolean {
    if (job.kind !== 'warm') this.evaluations++
    return this.evaluations > 200
  }

  /** @returns undefined if the process ends */
  ask(job: Job): Promise<Answer | undefined> {
    if (this.ended) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const onExit = () => resolve(undefined)
    const limitMs = this.specs.has(job.spec) ? job.blockLimitMs : Math.max(job.blockLimitMs, LOAD_BLOCK_MS)
    this.specs.add(job.spec)
    let aliveMs = this.computedMs()
    // By what it has computed: others may keep it waiting.
    const look = () => {
      if (this.computedMs() - aliveMs > limitMs) resolve({ kind: 'hung' })
    }
    const timer = setInterval(look, LOOK_MS)
    this.process.on('message', (message: Answer | { kind: 'alive' }) => {
      aliveMs = this.computedMs()
      if (message.kind !== 'alive') resolve(message)
    })
    this.process.once('exit', onExit)
    this.process.send(job)
    return promise.finally(() => {
      clearInterval(timer)
      this.process.removeAllListeners('message')
      this.process.off('exit', onExit)
    })
  }

  end(): void {
    this.process.kill('SIGKILL')
  }

  /** The processor time that it has used; that of the clock where Linux does not tell. */
  computedMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      // In ticks of 10 ms, in user mode and in the kernel.
      return 10 * (Number(stat[11]) + Number(stat[12]))
    } catch {
      return performance.now()
    }
  }
}
