/** The process that serves: `serve.ts observed,bare` or one of them, with VALKEY_URL. */
import { ModulesContainer } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { createGraphqlApp, type ServedAs } from './graphql-app.ts'

/** A part that works while an application runs, whether it gets requests or not. */
interface Sampler {
  start(): void
  stop(): void
}

const urls: Partial<Record<ServedAs, string>> = {}
const samplers: Sampler[] = []
for (const served of process.argv[2]!.split(',') as ServedAs[]) {
  const app = await createGraphqlApp(served, process.env.VALKEY_URL!)
  await app.listen(0, '127.0.0.1')
  urls[served] = await app.getUrl()
  if (served === 'observed') samplers.push(...samplersOf(app))
}

const methods = serveParent(
  {
    /** Starts observing, or stops it while the bare application is measured. @returns the processor time so far */
    switchTo(served: ServedAs): number {
      for (const part of samplers) {
        if (served === 'observed') part.start()
        else part.stop()
      }
      return cpuTime()
    },
  },
  urls,
)
export type Serving = typeof methods

/** Both applications share these parts of the process, so they must rest while the bare one is measured. */
function samplersOf(app: NestFastifyApplication): Sampler[] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers])
  return ['LagSampler', 'EventLoopPressure', 'EVENT_LOOP_METRICS'].map((name) => {
    const found = providers.find(([token]) => nameOf(token) === name)
    if (!found) throw new Error(`The observed application has no ${name}.`)
    return found[1].instance as Sampler
  })
}

function nameOf(token: unknown): unknown {
  if (typeof token === 'function') return token.name
  return typeof token === 'symbol' ? token.description : token
}
