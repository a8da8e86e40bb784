import type { Registry } from 'prom-client'
import { InvalidOptionError } from '../errors.js'

/**
 * The metric of this name in the registry, made when it is not there: two applications of a process may share one.
 *
 * @throws InvalidOptionError when the registry has another metric of this name
 */
export function metricIn<M>(
  registry: Registry,
  type: abstract new (...args: never[]) => M,
  name: string,
  labelNames: readonly string[],
  make: () => M,
): M {
  const known = registry.getSingleMetric(name) as unknown
  if (!known) return make()
  if (known instanceof type && String((known as { labelNames?: unknown }).labelNames) === String(labelNames))
    return known
  throw new InvalidOptionError(
    'registry',
    Symbol(`one that has another metric named "${name}"`),
    'a registry in which names that begin with model_cache_ or are listed in docs/metrics.md are free',
  )
}

/** Seconds, from a tenth of a millisecond to ten seconds. */
export const durationBuckets = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
