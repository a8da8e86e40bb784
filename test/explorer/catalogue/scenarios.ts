import { type ScenarioRow, scenariosOf } from '../explorations.ts'
import type { Scenario, ScenarioProcess } from './scenario.ts'

/** A process with a cache that comes later, and may begin so many reads. */
const comes = (entry: number, reads: number, more: ScenarioProcess = {}) => ({ entry, reads, ...more })
/** The same of one that serves from the start. */
const serves = (entry: number, reads: number, more: ScenarioProcess = {}) =>
  comes(entry, reads, { isUp: true, ...more })
/** A worker that is up. */
const worker = { isUp: true }

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
const rows = {
  worker: [
    'workers: one that knows nothing, one that has asked',
    { entries: [{}], processes: [serves(0, 3), {}, worker], writers: [1, 2] },
    { crash: 1 },
  ],
  lostHash: [
    'the hash is lost',
    { entries: [{}], processes: [serves(0, 3), {}, worker], writers: [1, 2] },
    { 'eviction of the hash': 1 },
  ],
  lostWordKey: [
    'the epoch key is lost',
    { entries: [{}], processes: [serves(0, 3), {}, worker], writers: [1, 2] },
    { 'eviction of the epoch key': 1 },
  ],
  lostHashTwice: [
    'the hash is lost twice; a cache where it is written',
    { entries: [{}], processes: [serves(0, 3), {}], writers: [0, 1] },
    { 'eviction of the hash': 2 },
  ],
  longWrites: [
    'the hash is lost during two writes of one process',
    { entries: [{}], processes: [serves(0, 3), worker], writers: [1, 1], hasLongWrites: true, isCold: true },
    { 'eviction of the hash': 1 },
  ],
  firstStart: [
    'the first start: nothing is stored yet',
    { entries: [{}, {}], processes: [comes(0, 2), comes(1, 1), {}], writers: [2] },
  ],
  newerSet: [
    'writers with an older and a newer set of caches',
    { entries: [{}, {}], processes: [serves(0, 1), comes(1, 2)], writers: [0, 1] },
    { crash: 1 },
  ],
  newerLost: [
    'the hash is lost while a cache joins',
    { entries: [{}, {}], processes: [serves(0, 1), comes(1, 2), worker], writers: [2] },
    { 'eviction of the hash': 1 },
  ],
  newerWordKeyLost: [
    'the epoch key is lost while a cache joins',
    { entries: [{}, {}], processes: [serves(0, 1), comes(1, 2), worker], writers: [2] },
    { 'eviction of the epoch key': 1 },
  ],
  unknown: [
    'a description that a writer does not understand',
    {
      entries: [{}, { name: 1, isNewer: true }],
      processes: [serves(0, 1), serves(1, 3), {}],
      writers: [0, 2],
    },
    { crash: 1 },
  ],
  returns: [
    'a cache stops, returns and cleans up, while another one joins',
    {
      entries: [{}, {}],
      processes: [serves(0, 2, { cleanUps: 1 }), comes(1, 1, { cleanUps: 0 }), worker],
      writers: [2],
    },
    { stop: 1, 'expiry of the value': 1 },
  ],
  idle: [
    'a cache leaves the register while its process is idle, another one cleans up',
    { entries: [{}, {}], processes: [serves(0, 2), comes(1, 1), {}], writers: [2], isCold: true },
    { idleness: 1 },
  ],
  lostRegister: [
    'the register is lost, another cache cleans up',
    { entries: [{}, {}], processes: [serves(0, 2), comes(1, 1), {}], writers: [2] },
    { 'eviction of the register': 1 },
  ],
  paused: [
    'a process pauses until another one has forgotten its cache',
    { entries: [{}, {}], processes: [serves(0, 3), serves(1, 0, { cleanUps: 1 }), {}], writers: [2, 2] },
    { pause: 1 },
  ],
  dropped: [
    'a cache that only an older version has stops and returns, a newer one cleans up',
    {
      entries: [{}, { name: 1 }],
      processes: [serves(0, 2, { cleanUps: 0 }), serves(1, 0, { cleanUps: 1 }), {}],
      writers: [2],
    },
    { stop: 1, pause: 1, 'expiry of the value': 1 },
  ],
  leap: [
    'the clock of the server leaps, and another process cleans up',
    { entries: [{}, {}], processes: [serves(0, 3), serves(1, 1, { cleanUps: 1 }), {}], writers: [2] },
    { 'leap of the clock': 1 },
  ],
  outage: [
    '`available`: FENCE or the ask fails',
    {
      entries: [{}, { name: 1 }],
      processes: [serves(0, 2), comes(1, 2), worker],
      writers: [2],
      promises: ['stale until TTL'],
    },
    { outage: 2 },
  ],
} satisfies Record<string, ScenarioRow<Scenario>>

export type ScenarioKey = keyof typeof rows
export const scenarios = scenariosOf<ScenarioKey, Scenario>(rows)
