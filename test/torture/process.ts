import { join } from 'node:path'
import { type Methods, type Process, type ProcessOptions, startProcess } from './bench/harness.ts'

/** Starts a module of a folder, with settings that it reads by {@link settingsOf}. */
export const start = <M extends Methods, Hello = unknown>(
  folder: string,
  file: string,
  settings: object,
  options: Omit<ProcessOptions, 'args' | 'env'> = {},
): Promise<Process<M, Hello>> =>
  startProcess<M, Hello>(join(folder, file), { ...options, env: { TORTURE: JSON.stringify(settings) } })

/** In a process of {@link start}. In the environment and not among the arguments, as URLs may hold a password. */
export const settingsOf = <Settings>(): Settings => JSON.parse(process.env.TORTURE!) as Settings
