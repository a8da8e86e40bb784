import { AggregatorRegistry, Counter, Histogram, Registry } from 'prom-client'
import { counterIn, histogramIn, readingIn } from './pre-aggregated.js'

const BOUNDS = [0.1, 1, 10]
const VALUES = [0, 0.1, 0.100_001, 0.5, 1, 9.99, 10, 11, 1e9]

/** Counts the same values with pre-aggregated metrics and with prom-client's own. */
function counted(registry: Registry, own: boolean): void {
  const about = { name: 'seconds', help: 'How long', labelNames: ['model', 'op'] }
  const total = { name: 'reads_total', help: 'How many', labelNames: ['model'] }
  const plain = { name: 'lag', help: 'How "late"\nit is' }
  if (own) {
    const histogram = histogramIn(registry, BOUNDS, about)
    for (const value of VALUES) histogram.series('A', 'decode').observe(value)
    histogram.series('B "quoted"', 'copy').observe(2)
    counterIn(registry, total).series('A').add(3)
    counterIn(registry, total).series('A').add(4)
    histogramIn(registry, BOUNDS, plain)
  } else {
    const histogram = new Histogram({ ...about, buckets: BOUNDS, registers: [registry] })
    for (const value of VALUES) histogram.observe({ model: 'A', op: 'decode' }, value)
    histogram.observe({ model: 'B "quoted"', op: 'copy' }, 2)
    const counter = new Counter({ ...total, registers: [registry] })
    counter.inc({ model: 'A' }, 3)
    counter.inc({ model: 'A' }, 4)
    registry.registerMetric(new Histogram({ ...plain, buckets: BOUNDS, registers: [] }))
  }
}

/** Sorts lines and labels, since Prometheus ignores their order. */
function lines(text: string): string[] {
  const ordered = (labels: string): string =>
    labels
      .split(/,(?=\w+=")/)
      .toSorted()
      .join()
  return text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels) => `{${ordered(labels)}}`))
    .toSorted()
}

describe('a pre-aggregated metric', () => {
  it.each<string>([Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE])(
    "is written as prom-client's own are, as %s",
    async (contentType) => {
      const OfType = Registry as unknown as new (type: string) => Registry
      const [ours, theirs] = [true, false].map((own) => {
        const registry = new OfType(contentType)
        registry.setDefaultLabels({ pod: 'p1' })
        counted(registry, own)
        return registry
      })
      expect(lines(await ours!.metrics())).toEqual(lines(await theirs!.metrics()))
    },
  )

  it("is aggregated over processes like prom-client's own", async () => {
    const [ours, theirs] = await Promise.all(
      [true, false].map(async (own) => {
        const registries = [1, 2].map(() => {
          const registry = new Registry()
          counted(registry, own)
          return registry
        })
        const metrics = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
        return AggregatorRegistry.aggregate(metrics as never).metrics()
      }),
    )
    expect(lines(ours!)).toEqual(lines(theirs!))
    expect(ours).toContain('reads_total{model="A"} 14')
  })

  it('is aggregated over processes as the highest if it is a gauge that is read, such as a ratio', async () => {
    const metrics = await Promise.all(
      [0.5, 0.75].map((value) => {
        const registry = new Registry()
        readingIn(registry, { name: 'pressure_ratio', help: 'Pressure' })
          .series()
          .add(() => value)
        readingIn(registry, { name: 'busy_total', help: 'Busy' }, 'counter')
          .series()
          .add(() => value)
        return registry.getMetricsAsJSON()
      }),
    )
    const text = await AggregatorRegistry.aggregate(metrics as never).metrics()
    expect(text).toContain('\npressure_ratio 0.75\n')
    expect(text).toContain('\nbusy_total 1.25\n')
  })

  it('omits labels without a value, and counts them apart from others', async () => {
    const registry = new Registry()
    const total = counterIn(registry, {
      name: 'reads_total',
      help: 'How many',
      labelNames: ['model', 'lookup', 'layer', 'root'],
    })
    total.series('A', undefined, 'store', undefined).add(1)
    total.series('A', 'ofOwner', 'store', undefined).add(2)
    total.series('A', undefined, 'store', 'billing').add(4)
    const text = await registry.metrics()
    expect(text.split('\n').filter((line) => line.startsWith('reads_total'))).toEqual([
      'reads_total{model="A",layer="store"} 1',
      'reads_total{model="A",lookup="ofOwner",layer="store"} 2',
      'reads_total{model="A",layer="store",root="billing"} 4',
    ])
    expect(total.series('A', undefined, 'store', undefined)).toBe(
      total.series('A', undefined, 'store', undefined),
    )
  })

  it('starts at zero again after its registry is reset', async () => {
    const registry = new Registry()
    counted(registry, true)
    registry.resetMetrics()
    const text = await registry.metrics()
    expect(text).toContain('reads_total{model="A"} 0')
    expect(text).toContain('seconds_count{model="A",op="decode"} 0')
  })

  it('stays what it is after its registry is reset if it is a gauge, which goes down again', async () => {
    const registry = new Registry()
    const open = counterIn(registry, { name: 'open', help: 'Open' }, 'gauge').series()
    open.add(2)
    registry.resetMetrics()
    open.add(-1)
    expect(await registry.getSingleMetricAsString('open')).toContain('\nopen 1')
  })

  it('counts what is pending before it is read', async () => {
    const registry = new Registry()
    const late = histogramIn(registry, BOUNDS, {
      name: 'late',
      help: 'Late',
      beforeRead: () => late.series().observe(5),
    })
    expect(await registry.metrics()).toContain('late_count 1')
  })

  it('counts a value several times at once', async () => {
    const registry = new Registry()
    histogramIn(registry, BOUNDS, { name: 'lag', help: 'Lag' }).series().observe(0.5, 4)
    const text = await registry.metrics()
    expect(text).toContain('lag_bucket{le="1"} 4')
    expect(text).toContain('lag_sum 2\n')
    expect(text).toContain('lag_count 4')
  })

  it('has the total of what is read, which is 0 while there is nothing to read', async () => {
    const registry = new Registry()
    const reading = readingIn(registry, { name: 'lag', help: 'Lag' }, 'gauge').series()
    expect([reading.total, await registry.getSingleMetricAsString('lag')]).toEqual([
      0,
      expect.not.stringContaining('\nlag'),
    ])
    reading.add(() => 3)
    expect([reading.total, await registry.getSingleMetricAsString('lag')]).toEqual([
      3,
      expect.stringContaining('\nlag 3'),
    ])
  })

  it('is the highest of what several applications of a process read, until they end', async () => {
    const registry = new Registry()
    const reading = () => readingIn(registry, { name: 'lag', help: 'Lag' }, 'gauge').series()
    const read = () => registry.getSingleMetricAsString('lag')
    const ends = [2, 5, undefined].map((value) => reading().add(() => value))
    expect(await read()).toContain('\nlag 5')
    ends[1]!()
    expect(await read()).toContain('\nlag 2')
    ends[0]!()
    expect(await read()).not.toContain('\nlag')
  })

  it.each([undefined, ['model']])('is one metric for all who register it, with labels %p', (labelNames) => {
    const registry = new Registry()
    const about = { name: 'reads_total', help: 'How many', ...(labelNames && { labelNames }) }
    expect(counterIn(registry, about)).toBe(counterIn(registry, about))
  })

  it.each(['my-shop_', '2nd_', 'a b_', 'ä_', '"_', '-'])('has no name that begins with %j', (prefix) => {
    const registry = new Registry()
    const about = { name: `${prefix}lag`, help: 'Lag' }
    for (const metricIn of [counterIn, readingIn])
      expect(() => metricIn(registry, about)).toThrow(/option "metricsPrefix" makes .* such as 'shop_'\.$/)
    expect(() => histogramIn(registry, BOUNDS, about)).toThrow('"metricsPrefix"')
    expect(registry.getMetricsAsArray()).toEqual([])
  })

  it.each(['', 'shop_', 'Shop:2_', '_', ':'])('has a name that begins with %j', (prefix) => {
    const registry = new Registry()
    counterIn(registry, { name: `${prefix}lag`, help: 'Lag' })
    expect(registry.getSingleMetric(`${prefix}lag`)).toBeDefined()
  })

  it('is not mistaken for a metric of another type or with other labels', () => {
    const registry = new Registry()
    const about = { name: 'reads_total', help: 'How many', labelNames: ['model'] }
    const own = new Counter({ ...about, registers: [registry] })
    expect(() => counterIn(registry, about)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
    expect(registry.getSingleMetric('reads_total')).toBe(own)
    registry.clear()
    counterIn(registry, { ...about, labelNames: ['model', 'lookup'] })
    expect(() => counterIn(registry, about)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
    registry.clear()
    histogramIn(registry, BOUNDS, about)
    expect(() => counterIn(registry, about)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
  })
})
