import { registerPackage } from '../loaded-packages.js'

/** Written by scripts/build-library.ts. */
declare const PACKAGE_VERSION: string | undefined
registerPackage(
  '@model-cache/event-loop',
  typeof PACKAGE_VERSION === 'undefined' ? undefined : PACKAGE_VERSION,
  new Error('Here'),
)

/** Token of the metrics of the event loop. */
export const EVENT_LOOP_METRICS = Symbol('EVENT_LOOP_METRICS')
