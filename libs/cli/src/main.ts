#!/usr/bin/env node
import { runCommandLine } from './run-command-line.js'

/** The reader of the output has ended, as `head` does: the command completes its work, and its exit code says how. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosed)
// What the configuration of a project prints, as dotenv does, is no part of JSON or of a module.
const { error } = console
Object.assign(console, { debug: error, info: error, log: error })

process.exitCode = await runCommandLine(process.argv.slice(2), {
  line: (text) => void process.stdout.write(`${text}\n`),
  errorLine: (text) => void process.stderr.write(`${text}\n`),
  folder: process.cwd(),
  environment: process.env,
})
