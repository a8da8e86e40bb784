/**
 * `@model-cache/event-loop/internal`: for packages of the same version, such as `model-cache`. Changes without notice; an application
 * imports `@model-cache/event-loop`.
 *
 * @module @model-cache/event-loop/internal
 */

// Work that a turn of the event loop has time for
export { noPressure, type Pressure } from './pressure.js'
export { Slicer, type SlicerOptions, unfinished } from './slicer.js'

// Metrics that count by themselves, for registries of prom-client
export {
  counterIn,
  durationBuckets,
  histogramIn,
  PreAggregated,
  readingIn,
} from './metrics/pre-aggregated.js'
export { type MetricsRegistry, registryOf, type Sample } from './metrics/registry.js'

// Listeners that may throw
export { notify } from './notify.js'

// Options of modules
export {
  type ModuleWithOptions,
  verifyImportedOnce,
  verifyOptions,
  withVerifiedOptions,
} from './module-options.js'

// Two copies of a package
export { registerPackage, verifyPackages } from './loaded-packages.js'
