import { Logger } from '@nestjs/common'
import type { MetricsRegistry } from '@model-cache/event-loop/internal'
import { AtRest, sealedMessages, type Store } from '../protocol/index.js'
import { warmAtStart } from '../warm/warm-at-start.js'
import { WarmListener } from '../warm/warm-messages.js'
import { type WarmOptions, warmSettings } from '../warm/warm-options.js'
import { type WarmedCache, Warmer } from '../warm/warmer.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { nestLog } from './nest-log.js'
import { createWarmMetrics } from '../metrics/cache-metrics.js'

/** How a root warms its caches up. */
export interface RootWarmer {
  /** Begins to warm up, and to listen to `npx model-cache warm`. */
  start(caches: () => ReadonlyMap<string, WarmedCache>): void
  /** Before the store is closed. */
  stop(): Promise<void>
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
  const { from, ...settings } = warmSettings(warm, { namespace, url })
  // On these, commands send ids.
  const messages =
    atRest && store.messages ? sealedMessages(store.messages, AtRest.of(atRest)) : store.messages
  const observe = createWarmMetrics(metrics, { prefix, root })
  const log = nestLog(new Logger('ModelCache'))
  const ending = new AbortController()
  const { signal } = ending
  let listener: WarmListener | undefined
  let warming: Promise<void> | undefined
  return {
    start(caches) {
      const warmer = new Warmer({ caches, perSecond: settings.perSecond, observe, signal })
      listener = messages && new WarmListener(namespace, messages, warmer)
      listener?.start()
      const names = [...caches().keys()]
      if (from && names.length > 0)
        warming = warmAtStart({ ...settings, from }, { store, namespace, caches: names, warmer, log, signal })
    },
    async stop() {
      ending.abort()
      await Promise.all([listener?.stop(), warming])
    },
  }
}
