import { cpus } from 'node:os'

/**
 * Tells, when the returned function is called, which part of the time of all processors nobody has used since, from 0 to 1.
 * It is the machine's: databases, load generators and strangers are in it.
 */
export function watchMachine(): () => number {
  const before = timesOfAll()
  return () => {
    const after = timesOfAll()
    return (after.idle - before.idle) / Math.max(1, after.all - before.all)
  }
}

function timesOfAll(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.map((time) => sum(Object.values(time)))),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
