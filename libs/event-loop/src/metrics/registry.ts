import { missingPromClientError } from '../errors.js'

/** What the library uses of a registry of prom-client, and so of its structure: metrics alone need that package. */
export interface MetricsRegistry {
  getSingleMetric(name: string): ReadableMetric | undefined
  registerMetric(metric: never): void
}

export interface ReadableMetric {
  get(): ReadMetric | PromiseLike<ReadMetric>
}

interface ReadMetric {
  readonly values: readonly Sample[]
}

/** A value in the format of prom-client's metrics. */
export interface Sample {
  readonly metricName?: string | undefined
  readonly labels: Readonly<Partial<Record<string, string | number>>>
  readonly value: number
}

/** Where metrics are counted that nobody exports: the inspector reads them. */
const unexported: MetricsRegistry = (() => {
  const metrics = new Map<string, ReadableMetric>()
  return {
    getSingleMetric: (name) => metrics.get(name),
    registerMetric: (metric: ReadableMetric & { readonly name: string }) =>
      void metrics.set(metric.name, metric),
  }
})()

/**
 * Returns the registry of an option: by default that of prom-client, which is loaded only then.
 *
 * @throws EventLoopError if prom-client is needed and not installed
 */
export async function registryOf(option: MetricsRegistry | false | undefined): Promise<MetricsRegistry> {
  if (option !== undefined) return option || unexported
  try {
    return (await import('prom-client')).register
  } catch (error) {
    throw missingPromClientError(error)
  }
}
