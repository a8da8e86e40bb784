/** Milliseconds of the machine's steady clock, the same in all its processes, with fractions. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
