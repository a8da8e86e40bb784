import type pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import type { ChaosServer } from './servers/chaos-server.ts'

export interface PhaseOptions {
  readonly name: string
  readonly startServer: () => Promise<ChaosServer>
  readonly mode: 'strict' | 'available'
  /** Whether pods have an L1. */
  readonly l1: boolean
  readonly seconds: number
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
  readonly leaseMs: number
  readonly fenceMs: number
  readonly databaseUrl: string
  readonly database: pg.Pool
  readonly prisma: PrismaClient
}
