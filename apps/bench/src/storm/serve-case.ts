import { isDeepStrictEqual } from 'node:util'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { watchLoop, type LoopDelays } from '../measure/watch-loop.ts'
import type { StormCase } from './cases/storm-case.ts'
import { createCountingSource } from './counting-source.ts'
import { buildLots, idsByUser } from './lots.ts'
import type { Serving, Storm } from './protocol.ts'

/** Opens a case in this process and has storms over it. */
export async function serveCase({ name, open }: StormCase, url: string): Promise<Serving> {
  const lots = buildLots()
  const allIds = [...lots.keys()]
  const source = createCountingSource(lots)
  const opened = await open({ url, source, lots })
  const { rowOf = (given) => given } = opened

  let cpuBefore = 0
  let stopWatching: () => LoopDelays
  let sharesRows = false
  // The rows of one user stay alive, as some do in an application: V8 throws code away when a collection finds none of
  // the objects for which it was optimised.
  const kept: { rows: unknown } = { rows: undefined }

  /** All of a user's reads begin in the same turn of the event loop. */
  const readAsUser = (ids: readonly string[]): Promise<readonly unknown[]> =>
    opened.getMany ? opened.getMany(ids) : Promise.all(ids.map((id) => opened.get(id)))

  return {
    async storm(storm) {
      const users = idsOf(allIds, storm)
      source.takeCounts()
      stopWatching = watchLoop()
      const startedAt = performance.now()
      cpuBefore = cpuTime()
      const given = await Promise.all(users.map(readAsUser))
      const answered = { wallMs: performance.now() - startedAt, cpuMs: cpuTime() - cpuBefore }
      sharesRows = storm.workload === 'same' && given[0]![0] === given[1]![0]
      kept.rows = given[0]
      if (storm.verify) verify(users, given)
      return answered
    },
    settle() {
      const cpuMs = cpuTime() - cpuBefore
      const { maxMs, p99Ms } = stopWatching()
      return { cpuMs, loopMaxMs: maxMs, loopP99Ms: p99Ms, sharesRows, ...source.takeCounts() }
    },
    // The young alone: a full collection would also take away the room that V8 has learnt to give to short-lived objects.
    clean: collectGarbage,
    async forget() {
      await opened.forget?.()
    },
    heapMb() {
      globalThis.gc!()
      return process.memoryUsage().heapUsed / 1e6
    },
  }

  /** @throws when a caller was given anything but the row that it asked for */
  function verify(users: readonly (readonly string[])[], given: readonly (readonly unknown[])[]): void {
    users.forEach((ids, user) =>
      ids.forEach((id, index) => {
        if (isDeepStrictEqual(rowOf(given[user]![index]), lots.get(id))) return
        throw new Error(`${name} gives user ${user} something else than lot ${id}, which it was asked for.`)
      }),
    )
  }
}

function idsOf(allIds: readonly string[], { workload, part }: Storm): readonly (readonly string[])[] {
  const users = idsByUser(allIds, workload)
  return part === 'all' ? users : users.map((ids) => ids.filter((_, index) => index % 2 === 0))
}
