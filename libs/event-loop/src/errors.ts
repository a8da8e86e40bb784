import { inspect } from 'node:util'

/**
 * An error that stops the start of an application. It is never thrown later. docs/troubleshooting.md of `model-cache`, which has errors with
 * the same codes, says what to do about each.
 */
export class EventLoopError extends Error {
  override readonly name = 'EventLoopError'

  constructor(
    readonly code:
      | 'E_DUPLICATE_NEST'
      | 'E_DUPLICATE_PACKAGE'
      | 'E_DUPLICATE_ROOT'
      | 'E_INVALID_OPTION'
      | 'E_MISSING_PACKAGE',
    problem: string,
    cause?: unknown,
  ) {
    super(`@model-cache/event-loop: ${problem}`, cause === undefined ? undefined : { cause })
  }
}

/** An option has an invalid value. */
export function invalidOptionError(option: string, actual: unknown, expected: string): EventLoopError {
  const shown = inspect(actual, { depth: 0, maxStringLength: 60 })
  return new EventLoopError('E_INVALID_OPTION', `option "${option}" is ${shown}; expected ${expected}.`)
}

/** A registry of metrics has a metric with the name of another one. */
export function otherMetricError(name: string): EventLoopError {
  return new EventLoopError(
    'E_INVALID_OPTION',
    `option "registry" is a registry that already has a different metric named "${name}"; expected one without the metric names ` +
      'of docs/metrics.md. Set `metricsPrefix`, or pass a registry of its own.',
  )
}

/** A prefix makes a name that Prometheus cannot parse, and with it no metric of the process. */
export function invalidMetricNameError(name: string): EventLoopError {
  return new EventLoopError(
    'E_INVALID_OPTION',
    `option "metricsPrefix" makes "${name}" the name of a metric; expected a prefix of letters, digits, "_" and ":" that does not ` +
      "begin with a digit, such as 'shop_'.",
  )
}

/** prom-client is needed, and cannot be loaded. */
export function missingPromClientError(cause: unknown): EventLoopError {
  return new EventLoopError(
    'E_MISSING_PACKAGE',
    'the package prom-client, which exports metrics, cannot be loaded. Install it: npm install prom-client. Or set `registry: false` ' +
      'for no metrics.',
    cause,
  )
}

/** The options of `EventLoopModule` are missing, or where they have no effect. */
export function moduleOptionsError(problem: string): EventLoopError {
  return new EventLoopError('E_INVALID_OPTION', problem)
}

/** `EventLoopModule` was imported twice. */
export function duplicateModuleError(): EventLoopError {
  return new EventLoopError(
    'E_DUPLICATE_ROOT',
    'EventLoopModule is imported twice. Import EventLoopModule.forRoot once, in the root module, or not at all beside ' +
      'ModelCacheModule.forRoot, which imports it.',
  )
}

/** The application runs another copy of Nest than the one that the library imports. */
export function duplicateNestError(): EventLoopError {
  return new EventLoopError(
    'E_DUPLICATE_NEST',
    'the application runs another copy of @nestjs/core than the one that @model-cache/event-loop imports, so they do not share ' +
      'providers. `npm ls @nestjs/core` shows both. Give all packages of the repository one version of Nest, and install again.',
  )
}

/** Copies of a package, or packages of different versions, are loaded. */
export function duplicatePackageError(loaded: readonly string[], names: readonly string[]): EventLoopError {
  return new EventLoopError(
    'E_DUPLICATE_PACKAGE',
    `packages of model-cache have to be loaded once each, in one version, and this process has loaded ${loaded.join(', ')}. Copies do ` +
      `not share providers, and versions may not fit. \`npm ls ${names.join(' ')}\` shows them. Give all of them one version in all ` +
      'packages of the repository, and install again; `npm dedupe` removes copies of one version.',
  )
}
