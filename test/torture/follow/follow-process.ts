/** A follower: `follow-process.ts SLOT DEFECT`, with DATABASE_URL and VALKEY_URL, for a standby with PRIMARY_URL; without a name, a slot of PostgreSQL is temporary. */
import { ValkeyStore } from 'model-cache/advanced'
import { ModelCacheFollower } from 'model-cache/follow'
import { type Defect, inflict } from '../defects.ts'
import { serveParent } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { openProcessDatabase } from './databases/open-process-database.ts'

const [slot, defect] = process.argv.slice(2) as [slot: string, defect: Defect | '']
const store = new ValkeyStore({ url: process.env.VALKEY_URL! })
if (defect) inflict(store, defect)
await store.connect()
const database = await openProcessDatabase(process.env.DATABASE_URL!)

let lagsMs: number[] = []
let events = 0
let messages: string[] = []
const takeovers: number[] = []
let cpu = process.cpuUsage()
const note = (message: string): void => void messages.push(message)
const follower = new ModelCacheFollower({
  store,
  follow: database.follow(slot || undefined, process.env.PRIMARY_URL),
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
