import type { Result } from '../result/result.ts'
import { percent, plusMinus } from './format.ts'

/** Sentences on where and when something was measured, with what, and how still the machine was. */
export function headerOf(result: Result): string[] {
  const { node, v8, machine, date, revision, packages, options } = result
  return [
    `Node ${node.replace('v', '')}, V8 ${v8}, ${machine.cpu} × ${machine.cores}, ${machine.memoryGb} GB, ${machine.os}, ${date}.`,
    `Revision ${revision.commit?.slice(0, 10) ?? 'unknown'}${revision.dirty ? ' with changes' : ''}, ${optionsText(options)}.`,
    noiseText(result.noise),
    `Packages: ${Object.entries(packages)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  ]
}

/** One sentence. */
export function noiseText({ spread, wallSpread, difference, waiting }: Result['noise']): string {
  return (
    `Noise floor: the same work takes ${plusMinus(spread, 1)} of processor time and ${plusMinus(wallSpread, 1)} of time ` +
    `in half of the rounds, two series of it are ${percent(difference, 1)} apart, and it waits ${percent(waiting, 0)} for others.`
  )
}

function optionsText({ quick, only, minutes, semiSpaceMb }: Result['options']): string {
  return [
    quick ? 'a quick look, which is noisy' : 'a full run',
    ...(only.length > 0 ? [`only ${only.join(', ')}`] : []),
    ...(minutes === undefined ? [] : [`${minutes} minutes`]),
    ...(semiSpaceMb === undefined ? [] : [`a semi-space of ${semiSpaceMb} MB`]),
  ].join(', ')
}
