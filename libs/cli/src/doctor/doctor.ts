import { type Finding, fault } from './finding.js'

/** A part of the doctor's work. */
export interface Check {
  /** The findings' common id, or its group: what a check that fails is reported as. */
  readonly id: string
  run(): Promise<readonly Finding[]> | readonly Finding[]
}

export interface Diagnosis {
  readonly findings: readonly Finding[]
  readonly summary: Readonly<Record<Finding['severity'], number>>
}

/** How long a check may take, in milliseconds. */
const deadlineMs = 15_000

/**
 * Runs checks concurrently. One that throws, or takes too long, becomes a finding itself.
 *
 * @returns the findings in the order of the checks
 */
export async function diagnose(checks: readonly Check[], limitMs: number = deadlineMs): Promise<Diagnosis> {
  const findings = (await Promise.all(checks.map((check) => runWithin(check, limitMs)))).flat()
  const count = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length
  return {
    findings,
    summary: { error: count('error'), warning: count('warning'), note: count('note'), ok: count('ok') },
  }
}

async function runWithin({ id, run }: Check, limitMs: number): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([run(), late])
  } catch (error) {
    return [
      fault(
        'warning',
        id,
        `The check could not be made: ${sentenceOf(error)}`,
        'It is unknown whether this is as it should be.',
      ),
    ]
  } finally {
    clearTimeout(timer)
  }
}

/** The message of an error as a sentence, without the names of the library and of the store in front. */
export function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(sentenceOf).join('; ')
  const text = error instanceof Error ? error.message : String(error)
  const short = text.replace(/^model-cache: (valkey: )?/, '').replaceAll(/\s+/g, ' ')
  return /[.!?]$/.test(short) ? short : `${short}.`
}
