import type { ValkeyNode } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

const rounds = 11

/** The clocks of processes and of the store may differ by this much, in milliseconds: what ends with a ttl may be off by as much. */
const maxClockDifferenceMs = 1_000

/**
 * Latency, and how far the clocks of this process and of the server differ.
 *
 * @param deadlineMs of each command of the application
 */
export async function checkTimes(node: ValkeyNode, deadlineMs: number): Promise<readonly Finding[]> {
  const took: number[] = []
  const aheads: number[] = []
  for (let i = 0; i < rounds; i++) {
    const [sentAtMs, sentMs] = [performance.now(), Date.now()]
    const [seconds, micros] = (await node.call('TIME')) as [string, string]
    const tookMs = performance.now() - sentAtMs
    took.push(tookMs)
    const serverMs = Number(seconds) * 1_000 + Number(micros) / 1_000
    // Whenever in between the server has read its clock, this is the least difference.
    const ahead = serverMs - sentMs
    aheads.push(ahead > tookMs ? ahead - tookMs : Math.min(0, ahead))
  }
  return [latencyOf(node, median(took), deadlineMs), clockOf(node, median(aheads))]
}

function latencyOf({ name }: ValkeyNode, medianMs: number, deadlineMs: number): Finding {
  const found = `${name} answers in ${medianMs.toFixed(1)} ms (median of ${rounds}).`
  if (medianMs < 0.4 * deadlineMs) return ok('valkey.latency', found)
  return fault(
    medianMs < deadlineMs ? 'warning' : 'error',
    'valkey.latency',
    found,
    `A command that takes longer than ${deadlineMs} ms (\`valkey.deadlineMs\`) counts as failed: the rows are then read from the database.`,
    'Move the server closer to the application. valkey-cli --latency and SLOWLOG GET show whether the network or the server is slow.',
  )
}

function clockOf({ name }: ValkeyNode, aheadMs: number): Finding {
  const difference = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`
  if (Math.abs(aheadMs) <= maxClockDifferenceMs)
    return ok('valkey.clock', `The clocks of ${name} and of this machine agree within a second.`)
  return fault(
    'warning',
    'valkey.clock',
    `The clock of ${name} is ${difference} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    'Processes decide by their own clocks when a row expires: on a machine that is behind, rows live longer than their ttl.',
    'Synchronize both clocks: timedatectl set-ntp true',
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
