import type { Registry } from 'prom-client'
import { invalidOptionError } from '../configuration-errors.js'

/**
 * Returns the metric with this name, created if the registry has none: two applications in a process may share a registry.
 *
 * @throws ConfigurationError if the registry has a different metric with this name
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
  throw invalidOptionError(
    'registry',
    Symbol(`a registry that already has a different metric named "${name}"`),
    'a registry without the metric names of docs/metrics.md; set `metricsPrefix`, or pass a registry of its own',
  )
}

/** Bucket bounds in seconds, from 0.1 ms to 10 s. */
export const durationBuckets = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
