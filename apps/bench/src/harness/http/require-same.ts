/** @throws with the first difference when a server does not respond as it should */
export function requireSame(name: string, answer: string, expected: string): void {
  if (answer === expected) return
  let at = 0
  while (answer[at] === expected[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 60)
  throw new Error(
    `${name} does not return what the first one does:\n  … ${around(answer)} …\nand not\n  … ${around(expected)} …`,
  )
}
