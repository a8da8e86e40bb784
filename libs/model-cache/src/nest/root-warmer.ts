import { Logger } from '@nestjs/common'
import type { MetricsRegistry } from '@model-cache/event-loop/internal'
import { AtRest, type Messages, type OperatorLog, sealedMessages, type Store } from '../protocol/index.js'
import { warmAtStart } from '../warm/warm-at-start.js'
import { WarmListener } from '../warm/warm-messages.js'
import { type WarmOptions, type WarmSettings, warmSettings } from '../warm/warm-options.js'
import { type WarmedCache, Warmer, type WarmerOptions } from '../warm/warmer.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { nestLog } from './nest-log.js'
import { createWarmMetrics } from '../metrics/cache-metrics.js'

export interface RootWarmerOptions {
  readonly settings: WarmSettings
  readonly store: Store
  /** On which commands send ids; undefined for a store without messages. */
  readonly messages: Messages | undefined
  readonly namespace: string
  readonly observe: WarmerOptions['observe']
  readonly log: OperatorLog
}

/** How a root warms its caches up. */
export class RootWarmer {
  readonly #options: RootWarmerOptions
  readonly #stop = new AbortController()
  #listener: WarmListener | undefined
  #warming: Promise<void> | undefined

  constructor(options: RootWarmerOptions) {
    this.#options = options
  }

  /** Begins to warm up, and to listen to `npx model-cache warm`. */
  start(caches: () => ReadonlyMap<string, WarmedCache>): void {
    const { log, messages, namespace, observe, settings, store } = this.#options
    const { from, perSecond } = settings
    const { signal } = this.#stop
    const warmer = new Warmer({ caches, perSecond, observe, signal })
    this.#listener = messages && new WarmListener(namespace, messages, warmer)
    this.#listener?.start()
    const names = [...caches().keys()]
    if (from && names.length > 0) {
      const root = { store, namespace, caches: names, warmer, log, signal }
      this.#warming = warmAtStart({ ...settings, from }, root)
    }
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#listener?.stop(), this.#warming])
  }
}

/** @throws ConfigurationError */
export function createRootWarmer(
  options: ModelCacheModuleOptions,
  warm: WarmOptions,
  {
    metrics,
    root,
    store,
  }: { readonly root: string | undefined; readonly store: Store; readonly metrics: MetricsRegistry },
): RootWarmer {
  const { atRest, metricsPrefix: prefix, valkey } = options
  const namespace = namespaceOf(options, root)
  const url = valkey && 'url' in valkey ? valkey.url : undefined
  return new RootWarmer({
    settings: warmSettings(warm, { namespace, url }),
    store,
    messages: atRest && store.messages ? sealedMessages(store.messages, AtRest.of(atRest)) : store.messages,
    namespace,
    observe: createWarmMetrics(metrics, { prefix, root }),
    log: nestLog(new Logger('ModelCache')),
  })
}
