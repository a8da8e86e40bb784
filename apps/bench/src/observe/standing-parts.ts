import { ModulesContainer } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'

/** Works while an application runs, whether anybody asks it or not. */
interface StandingPart {
  start(): void
  /** The watch for blocks rests with the sampler. */
  stop(): void
}

/**
 * What observes an application all the time. Two applications of one process share it, whichever of them is observed, so it has to rest
 * while the other is asked.
 */
export function standingParts(app: NestFastifyApplication): StandingPart[] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers])
  return ['LagSampler', 'EventLoopPressure', 'EVENT_LOOP_METRICS'].map((name) => {
    const found = providers.find(([token]) => nameOf(token) === name)
    if (!found) throw new Error(`The observed application has no ${name}.`)
    return found[1].instance as StandingPart
  })
}

const nameOf = (token: unknown): unknown =>
  typeof token === 'function' ? token.name : typeof token === 'symbol' ? token.description : token
