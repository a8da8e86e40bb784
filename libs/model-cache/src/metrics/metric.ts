import type { Metric, Registry } from 'prom-client'

/** The metric of this name in the registry, made when it is not there: two applications of a process may share one. */
export function metricIn<M extends Metric>(registry: Registry, name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make()
}

/** Seconds, from a tenth of a millisecond to ten seconds. */
export const durationBuckets = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
