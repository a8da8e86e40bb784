import type { Registry } from 'prom-client'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Configuration of the application: main.ts reads it from the environment, tests pass it directly. */
export interface AppConfig {
  /** JSON logs, no GraphiQL, no introspection, no migrations at start. */
  production: boolean
  host: string
  /** 0 picks a free port. */
  port: number
  /** URL of a PostgreSQL, MySQL or MariaDB server, or of a file of SQLite. Without it, PGlite runs in this process. */
  databaseUrl?: string
  /** Folder of the PGlite files. @default .data/pglite beside prisma/ */
  dataDir?: string
  /**
   * A running Valkey server, `start` for the `valkey-server` on PATH, or `memory` for the in-memory store. `deadlineMs` of a
   * command is that of the library unless it is given.
   */
  valkey: { url: string; deadlineMs?: number } | 'start' | 'memory'
  /** Milliseconds to keep serving after SIGTERM, so that load balancers can stop sending requests. */
  drainMs: number
  /** Prefix of every cache key. */
  cacheNamespace: string
  /** Whether the page may start bursts, which block this process for seconds. */
  bursts: boolean
  /** Opens the inspector in production, and protects it. @default none: open in development, closed in production */
  inspectorPassword?: string
  logLevel: (typeof LOG_LEVELS)[number]
  /** A second application in one process needs its own. @default prom-client's default registry */
  metrics?: Registry
}

export const APP_CONFIG = Symbol('APP_CONFIG')
