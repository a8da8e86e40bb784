/**
 * Milliseconds of processor time that this process has had, garbage collection in other threads included. On a machine
 * that has other things to do, the clock would also count the time in which this process was not running at all.
 * (The time of the main thread alone advances in steps of some milliseconds on many kernels.)
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
