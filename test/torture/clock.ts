/** Milliseconds of the machine's steady clock, with fractions; the same in all its processes. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6
