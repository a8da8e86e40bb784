import type { Registry } from 'prom-client'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** All that the application is told from outside; main.ts reads it from the environment, tests write it down. */
export interface AppConfig {
  /** JSON logs, no GraphiQL, no introspection, no migrations at start. */
  production: boolean
  host: string
  /** 0 for any free one. */
  port: number
  /** A PostgreSQL server; without one, PGlite in this process. */
  databaseUrl?: string
  /** Where PGlite keeps its files. @default .data/pglite beside prisma/ */
  dataDir?: string
  /** A Valkey server, a `valkey-server` to be looked for and started, or the memory of this process. */
  valkey: { url: string } | 'start' | 'memory'
  /** How long to answer on after SIGTERM, for load balancers to take notice, in milliseconds. */
  drainMs: number
  /** First part of every cache key. */
  cacheNamespace: string
  /** Whether the page may start storms, which keep this process busy for seconds. */
  storms: boolean
  logLevel: (typeof LOG_LEVELS)[number]
  /** @default prom-client's default registry; a second application in one process needs its own */
  metrics?: Registry
}

/** Token of the AppConfig. */
export const APP_CONFIG = Symbol('APP_CONFIG')
