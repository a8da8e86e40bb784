#!/usr/bin/env node
import { runCommandLine } from './run-command-line.js'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  line: (text) => void process.stdout.write(`${text}\n`),
  errorLine: (text) => void process.stderr.write(`${text}\n`),
  folder: process.cwd(),
  environment: process.env,
})
