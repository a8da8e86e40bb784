import type { Command } from './command.ts'

export const commands: readonly Command[] = []
