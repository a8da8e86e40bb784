/** A follower. */
import { ValkeyStore } from 'model-cache/advanced'
import { ModelCacheFollower } from '@model-cache/follow'
import { serveParent } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { openProcessDatabase } from '../databases/open-process-database.ts'
import { type Defect, inflict } from '../defects.ts'
import { settingsOf } from '../process.ts'

export interface FollowerSettings {
  readonly databaseUrl: string
  readonly valkeyUrl: string
  /** Undefined for a temporary slot of PostgreSQL. */
  readonly slot: string | undefined
  /** Undefined unless the database is a standby. */
  readonly primaryUrl?: string | undefined
  /** Of its store, in a rehearsal. */
  readonly defect?: Defect | undefined
}

const { databaseUrl, defect, primaryUrl, slot, valkeyUrl } = settingsOf<FollowerSettings>()
const store = new ValkeyStore({ url: valkeyUrl })
if (defect) inflict(store, defect)
await store.connect()
const database = await openProcessDatabase(databaseUrl)

let lagsMs: number[] = []
let events = 0
let messages: string[] = []
const takeovers: number[] = []
let cpu = process.cpuUsage()
const note = (message: string): void => void messages.push(message)
const follower = new ModelCacheFollower({
  store,
  follow: database.follow(slot, primaryUrl),
  observer: {
    events: (_, count) => (events += count),
    lagSeconds: (seconds) => void lagsMs.push(seconds * 1_000),
    takeovers: () => void takeovers.push(machineTime()),
  },
  warn: note,
  info: note,
})
await follower.start()

const methods = serveParent({
  /** What it and others did since its start. */
  look: () => ({ takeovers, report: follower.report }),
  /** What it did since the last call. */
  take() {
    const { system, user } = process.cpuUsage(cpu)
    const taken = { lagsMs, events, messages, cpuUs: system + user }
    cpu = process.cpuUsage()
    lagsMs = []
    messages = []
    events = 0
    return taken
  },
  /** Resigns. */
  async leave() {
    await follower.stop()
    await store.close()
  },
})
export type Following = typeof methods
