import type { Served } from '../http/served.ts'

/**
 * The answers to the paths, which have to be the same of all steps, byte for byte.
 *
 * @throws naming the step whose answer is another one
 */
export async function answersOf(
  name: string,
  served: Served,
  paths: readonly string[],
  lotsPerReport: number,
  expected: readonly string[] | undefined,
): Promise<readonly string[]> {
  const answers: string[] = []
  for (const path of paths) answers.push(await served.get(path))
  for (const [index, answer] of answers.entries()) {
    const { lines } = JSON.parse(answer) as { lines: unknown[] }
    if (lines.length !== lotsPerReport) {
      throw new Error(`${name} answers ${paths[index]} with ${lines.length} lots of ${lotsPerReport}.`)
    }
    if (expected && answer !== expected[index]) {
      throw new Error(
        `${name} answers ${paths[index]} otherwise than the first step:\n${differenceOf(answer, expected[index]!)}`,
      )
    }
  }
  return answers
}

function differenceOf(answer: string, expected: string): string {
  let at = 0
  while (answer[at] === expected[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 60)
  return `  … ${around(answer)} …\nand not\n  … ${around(expected)} …`
}
