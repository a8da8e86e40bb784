import { bit, changeMarker, changeRegister, changeWriter, hasAll, NOTHING, spend } from '../model.ts'
import type { Bits, State, Writer } from '../model.ts'
import type { Setting } from '../scenario.ts'
import { writerName, type Action } from './action.ts'

/** What a write fences and releases, each by a command of its own: registers, then markers. */
type Target = { readonly register: number } | { readonly part: number }

function targetsOf(at: number, { rules, scenario }: Setting): readonly Target[] {
  const { changes, how = 'updates', isBlind = false, isOutside = false } = scenario.writers[at]!
  const byValue = {
    'had and have': true,
    have: how !== 'leaves',
    'those of lists that rows join': how === 'joins',
  }[rules.fencedValues]
  const registers = new Set<number>()
  const parts: number[] = []
  for (const part of changes) {
    const { isScoped = false, register } = scenario.parts[part]!
    if (!isScoped || isBlind || isOutside) registers.add(register)
    else if (byValue) parts.push(part)
  }
  return [...[...registers].map((register) => ({ register })), ...parts.map((part) => ({ part }))]
}

const nameOf = (target: Target, { scenario }: Setting): string =>
  'register' in target
    ? `register ${target.register + 1}`
    : `the marker of ${scenario.parts[target.part]!.name}`

const all = (targets: readonly Target[]): Bits => bit(targets.length) - 1

const fence: Action = (state, setting, add) => {
  for (const [at, writer] of state.writers.entries()) {
    const { fenced, phase } = writer
    if ((phase !== 'idle' && phase !== 'fencing') || setting.scenario.writers[at]!.isOutside) continue
    for (const [i, target] of targetsOf(at, setting).entries()) {
      if (hasAll(fenced, bit(i))) continue
      const next = withFence(state, at, target, setting)
      add(
        `${writerName(at)} fences ${nameOf(target, setting)}`,
        changeWriter(next, at, { phase: 'fencing', fenced: fenced | bit(i) }),
      )
    }
  }
}

function withFence(state: State, at: number, target: Target, { rules }: Setting): State {
  if ('part' in target) {
    const { fences } = state.markers[target.part]!
    return changeMarker(state, target.part, {
      nonce: NOTHING,
      epoch: NOTHING,
      fences: fences | bit(at),
    })
  }
  const { epoch, fences } = state.registers[target.register]!
  return changeRegister({ ...state, ids: state.ids + 1 }, target.register, {
    epoch: rules.newEpochAtFence ? state.ids : epoch,
    fences: fences | bit(at),
  })
}

const end: Action = (state, setting, add) => {
  for (const [at, { fenced, phase }] of state.writers.entries()) {
    const targets = targetsOf(at, setting)
    const commits = [...state.commits, at]
    const isReady = setting.scenario.writers[at]!.isOutside
      ? phase === 'idle'
      : (phase === 'fencing' || targets.length === 0) && phase !== 'orphaned' && fenced === all(targets)
    if (phase === 'orphaned') {
      add(`${writerName(at)}: COMMIT`, changeWriter({ ...state, commits }, at, { phase: 'ended' }))
      add(`${writerName(at)}: ROLLBACK`, changeWriter(state, at, { phase: 'ended' }))
    } else if (isReady && (phase === 'idle' || phase === 'fencing'))
      add(
        `${writerName(at)}: COMMIT`,
        changeWriter({ ...state, commits }, at, { phase: targets.length === 0 ? 'ended' : 'committed' }),
      )
  }
}

/** RELEASE, or what ends the results of a write outside. */
const release: Action = (state, setting, add) => {
  for (const [at, { phase, released }] of state.writers.entries()) {
    if (phase !== 'committed') continue
    const targets = targetsOf(at, setting)
    for (const [i, target] of targets.entries()) {
      if (hasAll(released, bit(i))) continue
      const now = released | bit(i)
      const next = withRelease(state, at, target, setting)
      const verb = setting.scenario.writers[at]!.isOutside ? 'is noticed, which ends' : 'releases'
      add(
        `${writerName(at)} ${verb} ${nameOf(target, setting)}`,
        changeWriter(next, at, { released: now, phase: now === all(targets) ? 'ended' : 'committed' }),
      )
    }
  }
}

function withRelease(state: State, at: number, target: Target, setting: Setting): State {
  const { rules, scenario } = setting
  if (scenario.writers[at]!.isOutside && rules.invalidation === 'removal of what is stored')
    return { ...state, result: null }
  if ('part' in target) {
    const fences = state.markers[target.part]!.fences & ~bit(at)
    return changeMarker(state, target.part, { nonce: NOTHING, epoch: NOTHING, fences })
  }
  const { epoch, fences } = state.registers[target.register]!
  const newest = rules.newEpochAtRelease ? state.ids : epoch
  const released = changeRegister({ ...state, ids: state.ids + 1 }, target.register, {
    epoch: newest,
    fences: fences & ~bit(at),
  })
  return changeWriter(released, at, { epochs: state.writers[at]!.epochs.with(target.register, newest) })
}

/** A command that was given up, or sent twice. */
const repeat: Action = (state, setting, add) => {
  if (state.faults['late command'] === 0) return
  for (const [at, writer] of state.writers.entries()) {
    for (const [i, target] of targetsOf(at, setting).entries()) {
      const name = `${writerName(at)}`
      if (hasAll(writer.released, bit(i))) {
        const next = repeated(spend(state, 'late command'), at, target, writer, setting)
        add(`RELEASE of ${name} runs again for ${nameOf(target, setting)}`, next)
      }
      if (hasAll(writer.fenced, bit(i)) && writer.phase !== 'fencing') {
        const next = withFence(spend(state, 'late command'), at, target, setting)
        add(`FENCE of ${name} runs again for ${nameOf(target, setting)}`, next)
      }
    }
  }
}

function repeated(state: State, at: number, target: Target, { epochs }: Writer, setting: Setting): State {
  const next = withRelease(state, at, target, setting)
  if (setting.rules.epochsNeverComeBack || 'part' in target) return next
  return changeRegister(next, target.register, { epoch: epochs[target.register]! })
}

/** The process dies. Its COMMIT may be on the way. */
const crash: Action = (state, setting, add) => {
  if (state.faults.crash === 0) return
  for (const [at, { fenced, phase }] of state.writers.entries()) {
    if (setting.scenario.writers[at]!.isOutside || (phase !== 'fencing' && phase !== 'committed')) continue
    const mayCommit = phase === 'fencing' && fenced === all(targetsOf(at, setting))
    const next = changeWriter(spend(state, 'crash'), at, { phase: mayCommit ? 'orphaned' : 'ended' })
    add(`${writerName(at)}: its process crashes`, next)
  }
}

/** It releases its fences so that they stand for another `fenceMs`. */
const loseEnd: Action = (state, setting, add) => {
  if (state.faults['unknown end'] === 0) return
  for (const [at, { fenced, phase }] of state.writers.entries()) {
    const targets = targetsOf(at, setting)
    if (phase !== 'fencing' || fenced !== all(targets)) continue
    const lost = changeWriter(spend(state, 'unknown end'), at, { phase: 'orphaned' })
    const released = targets.reduce((next, target) => {
      const without = withRelease(next, at, target, setting)
      return setting.rules.unknownEndHolds ? withFence(without, at, target, setting) : without
    }, lost)
    add(`${writerName(at)}: its end is unknown`, released)
  }
}

export const writeActions: readonly Action[] = [fence, end, release, repeat, crash, loseEnd]
